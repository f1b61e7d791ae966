"""A local HTTPS server for tests of downloads, with the faults of real ones."""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import trustme


@dataclass
class Resource:
    """A file of the server, and how it misbehaves.

    Attributes
    ----------
    etag : str
        "" sends no validator.
    cut_at : list of int
        For one request after the other, the position at which the connection is cut.
    stall_at : int or None
        Position after which nothing more is sent.
    piece_pause_s : float
        Pause after each piece of 4 kB.
    has_length : bool
        Whether the length is told.
    ranges : bool
        Whether parts are sent where they are asked for.
    location : str
        Redirects to there.
    """

    content: bytes
    status: int = 200
    content_type: str = "application/x-gzip"
    etag: str = '"1"'
    cut_at: list[int] = field(default_factory=list)
    stall_at: int | None = None
    piece_pause_s: float = 0.0
    has_length: bool = True
    ranges: bool = True
    location: str = ""


@dataclass
class Server:
    """A running server."""

    url: str  # without a slash at its end
    certificates: Path
    resources: dict[str, Resource] = field(default_factory=dict)  # by path
    # those that came, in order; "" for no range
    requests: list[tuple[str, str]] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)


@contextmanager
def https_server(folder: Path) -> Iterator[Server]:
    """Serve on a free port of this machine, with a certificate of an authority in
    ``folder / "ca.pem"``.
    """
    authority = trustme.CA()
    certificate = authority.issue_cert("localhost")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    listening = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    listening.daemon_threads = True
    listening.socket = context.wrap_socket(listening.socket, server_side=True)
    server = Server(f"https://localhost:{listening.server_address[1]}", folder / "ca.pem")
    _Handler.server_of[listening] = server
    thread = threading.Thread(
        target=listening.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
    )
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        listening.shutdown()
        listening.server_close()
        del _Handler.server_of[listening]


class _Handler(BaseHTTPRequestHandler):
    server_of: dict[object, Server] = {}  # noqa: RUF012

    def do_GET(self) -> None:
        server = self.server_of[self.server]
        asked = self.headers.get("Range", "")
        server.requests.append((self.path, asked))
        resource = server.resources.get(self.path)
        if resource is None:
            self._answer(404, b"nothing", {"Content-Type": "text/html"})
            return
        if resource.location:
            self._answer(302, b"", {"Location": resource.location})
            return
        self._send(resource, asked, server)

    def _send(self, resource: Resource, asked: str, server: Server) -> None:
        whole = len(resource.content)
        same = self.headers.get("If-Range") == resource.etag
        first = (
            int(asked.removeprefix("bytes=").removesuffix("-"))
            if asked and resource.ranges and same
            else 0
        )
        if first >= whole > 0:
            self._answer(416, b"", {})
            return
        status = 206 if first else resource.status
        self.send_response(status)
        if resource.etag:
            self.send_header("ETag", resource.etag)
        self.send_header("Content-Type", resource.content_type)
        if resource.has_length:
            self.send_header("Content-Length", str(whole - first))
        if first:
            self.send_header("Content-Range", f"bytes {first}-{whole - 1}/{whole}")
        self.end_headers()
        end = resource.cut_at.pop(0) if resource.cut_at else whole
        self._pieces(resource, first, end, server)
        self.close_connection = True

    def _pieces(self, resource: Resource, first: int, end: int, server: Server) -> None:
        for start in range(first, end, 4096):
            if resource.stall_at is not None and start >= resource.stall_at:
                server.closing.wait(30)
                return
            self.wfile.write(resource.content[start : min(start + 4096, end)])
            if resource.piece_pause_s:
                self.wfile.flush()
                time.sleep(resource.piece_pause_s)

    def _answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the tests' output is not a server log."""

    def handle(self) -> None:
        """Serve; a client that leaves is not an error here."""
        try:
            super().handle()
        except (ConnectionError, ssl.SSLError):
            self.close_connection = True
