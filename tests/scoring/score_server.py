"""A program that scores texts over HTTP, and misbehaves as its path asks; it prints its port."""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COUNTS: dict[str, int] = {}  # of requests
SENT: dict[str, int] = {}  # of texts, or pairs; GET returns it


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer(200, SENT.get(self.path, 0))

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = asked.get("texts") or [pair["query"] + pair["document"] for pair in asked["pairs"]]
        COUNTS[self.path] = COUNTS.get(self.path, 0) + 1
        SENT[self.path] = SENT.get(self.path, 0) + len(texts)
        scores = [len(text) + 0.1 for text in texts]
        kind = self.path.rsplit("/", 1)[1]
        if kind == "busy" and COUNTS[self.path] == 1:
            self.answer(503, {"error": "busy"})
        elif kind == "broken" or (kind == "second" and COUNTS[self.path] == 2):
            self.answer(400, {"error": "no"})
        else:
            wrong = {"short": scores[:-1], "null": [None, *scores[1:]], "text": ["high", *scores[1:]]}
            self.answer(200, [] if kind == "list" else {"scores": wrong.get(kind, scores)})

    def answer(self, status, document):
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    sys.stdout.flush()
    server.serve_forever()
