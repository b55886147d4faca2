"""A program that translates over HTTP as LibreTranslate does, and misbehaves as its path asks; it prints its port."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        kind = self.path.rsplit("/", 1)[1]
        if kind == "unknown" or asked["target"] not in ("en", "de") or asked["format"] != "text":
            self.answer(400, {"error": f"{asked['source']} is not supported"})
        elif kind == "single" and not isinstance(asked["q"], str):
            self.answer(200, {"translatedText": "He is one."})
        else:
            texts = [asked["q"]] if isinstance(asked["q"], str) else asked["q"]
            she = "She" if asked["target"] == "en" else "Sie"
            lines = [f"{she if asked['source'] == 'fi' else 'They'} is {len(text)} letters." for text in texts]
            wrong = {"short": lines[:-1], "null": [None, *lines[1:]]}
            found = wrong.get(kind, lines)
            self.answer(200, [] if kind == "list" else {"translatedText": found[0] if asked["q"] in texts else found})

    def answer(self, status, document):
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()
