# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""A static web server on the loopback, and what an attacker in its place may serve."""

import contextlib
import http.server
import threading


# Without a date apt would take the time of its request for that of the file.
OLD = "Sat, 03 Jan 2026 03:03:03 GMT"


class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        web = self.server.web
        path = self.path.lstrip("/")
        with web.lock:
            web.requests.append(path)
        if web.ignores_age:
            # An attacker does not admit that a client has something newer.
            del self.headers["If-Modified-Since"]
        if path not in web.replaced:
            return super().do_GET()
        data = web.replaced[path]
        if data is None:
            return self.send_error(404)
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Last-Modified", OLD)
        self.end_headers()
        # apt ends the connection if it does not like what comes.
        with contextlib.suppress(ConnectionError):
            self.wfile.write(data)
        return None

    def translate_path(self, path):
        self.directory = str(self.server.web.folder)
        return super().translate_path(path)

    def log_message(self, *_):
        pass


class Web:
    """Serves ``folder``; ``replaced`` has other contents by path, None for a missing file."""

    def __init__(self, folder):
        self.folder = folder
        self.lock = threading.Lock()
        self.honest()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.web = self
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def honest(self, folder=None):
        """Ends an attack."""
        self.folder = folder or self.folder
        self.requests, self.replaced, self.ignores_age = [], {}, False

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(10)
