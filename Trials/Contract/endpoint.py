# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""A web service as the examples see it: keeps each request, and answers what it is told to."""

import http
import http.server
import json
import threading
import urllib.parse


class Endpoint:
    def __init__(self, answer=lambda request: {}):
        """`answer`: the JSON for a request, or the status of an error."""
        self.requests = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(handler):
                self.respond(handler, answer)

            do_POST = do_GET

            def log_message(handler, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def respond(self, handler, answer):
        url = urllib.parse.urlsplit(handler.path)
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0))).decode()
        request = {"path": url.path, "query": dict(urllib.parse.parse_qsl(url.query)), "headers": handler.headers, "body": body}
        if "form-urlencoded" in handler.headers.get("Content-Type", ""):
            request["form"] = dict(urllib.parse.parse_qsl(body))
        self.requests.append(request)
        result = answer(request)
        handler.send_response(result if isinstance(result, http.HTTPStatus) else 200)
        content = json.dumps(result).encode()
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    def close(self):
        self.server.shutdown()
        self.server.server_close()
