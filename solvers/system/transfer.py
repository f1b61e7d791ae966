"""One HTTPS request in a thread of its own, so that whoever waits for it can be cancelled within milliseconds."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from solvers.system.cancel import Progress
from solvers.version import __version__

_CONNECT_S = 15.0
_PIECE_BYTES = 1 << 14  # urllib3 delivers full pieces only, so that of a silent server one may be lost
_WAITING_PIECES = 64  # of which the receiver may lag behind
_POLL_S = 0.05

HEADERS = {
    "User-Agent": f"Tautline/{__version__}",
    "Accept-Encoding": "identity",  # the bytes as published: their checksum is known, not that of their content
}


class TransferFailed(Exception):
    """A request failed.

    Attributes
    ----------
    lasting : bool
        Whether it would fail again at once; a cut connection would not.
    """

    def __init__(self, reason: str, *, lasting: bool = False):
        self.lasting = lasting
        super().__init__(reason)


@dataclass(frozen=True)
class Head:
    """What a server says before it sends a file.

    Attributes
    ----------
    status : int
    first : int
        Position of the first byte that follows.
    total : int or None
        Bytes of the whole file; None if the server does not say.
    validator : str
        Changes when the file does (ETag, else the date of the last change); "" if there is none.
    content_type : str
    """

    status: int
    first: int
    total: int | None
    validator: str
    content_type: str

    @classmethod
    def of(cls, status: int, headers: Mapping[str, str]) -> Head:
        tag = headers.get("ETag", "")
        validator = tag if tag and not tag.startswith("W/") else headers.get("Last-Modified", "")
        first, total = 0, _number(headers.get("Content-Length", ""))
        if status == HTTPStatus.PARTIAL_CONTENT:  # Content-Range: bytes 100-999/1000
            span, _, whole = headers.get("Content-Range", "").removeprefix("bytes ").partition("/")
            first, total = _number(span.partition("-")[0]) or 0, _number(whole)
        return cls(status, first, total, validator, headers.get("Content-Type", "").partition(";")[0].strip().lower())


class Transfer:
    """A running request. Use it in a ``with`` block: leaving the block ends it.

    Parameters
    ----------
    url : str
        Must begin with ``https://``, and so must every address that the server redirects to.
    headers : mapping of str
        In addition to `HEADERS`.
    silence_s : float
        After so many seconds without a byte the transfer fails.
    """

    def __init__(self, url: str, headers: Mapping[str, str], silence_s: float):
        self._url, self._headers, self._silence_s = url, {**HEADERS, **headers}, silence_s
        self._arrived: queue.Queue[Head | bytes | BaseException | None] = queue.Queue(_WAITING_PIECES)
        self._left = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"download: {url}", daemon=True)

    def __enter__(self) -> Transfer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._left.set()  # the thread ends at its next piece, or after the silence

    def head(self, progress: Progress) -> Head:
        """Wait for the server's answer; raises `TransferFailed` and `Cancelled`."""
        head = self._next(progress)
        assert isinstance(head, Head)
        return head

    def pieces(self, progress: Progress) -> Iterator[bytes]:
        """The file's bytes as they arrive; raises `TransferFailed` and `Cancelled`."""
        while isinstance(piece := self._next(progress), bytes):
            yield piece

    def _next(self, progress: Progress) -> Head | bytes | None:
        while True:
            progress.checkpoint()
            try:
                item = self._arrived.get(timeout=_POLL_S)
            except queue.Empty:
                continue
            if isinstance(item, BaseException):
                raise item
            return item

    def _run(self) -> None:
        try:
            self._request()
        except _LeftError:
            pass
        except Exception as error:  # delivered to the thread that waits, which translates it
            with suppress(_LeftError):
                self._deliver(error)

    def _request(self) -> None:
        import requests  # imported here: few sessions download anything
        import urllib3

        try:
            with requests.Session() as session:
                session.adapters.pop("http://")
                with session.get(
                    self._url, headers=self._headers, stream=True, timeout=(_CONNECT_S, self._silence_s)
                ) as response:
                    self._deliver(Head.of(response.status_code, response.headers))
                    for piece in response.raw.stream(_PIECE_BYTES, decode_content=False):
                        self._deliver(piece)
            self._deliver(None)
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            self._deliver(_failure(error, self._silence_s))

    def _deliver(self, item: Head | bytes | BaseException | None) -> None:
        while not self._left.is_set():
            try:
                self._arrived.put(item, timeout=_POLL_S)
                return
            except queue.Full:
                continue
        raise _LeftError


class _LeftError(Exception):
    """Nobody waits for the transfer any more."""


def _failure(error: Exception, silence_s: float) -> TransferFailed:
    """The failure in words, by the kind of exception of requests and urllib3."""
    import requests
    import urllib3

    if isinstance(error, requests.exceptions.InvalidSchema):
        return TransferFailed("the server leads to an address without HTTPS", lasting=True)
    if isinstance(error, requests.exceptions.TooManyRedirects):
        return TransferFailed("the server leads from address to address without end", lasting=True)
    if isinstance(error, requests.exceptions.SSLError):
        return TransferFailed(f"the server's certificate is not trusted ({_innermost(error)})", lasting=True)
    if isinstance(error, requests.exceptions.ConnectTimeout):
        return TransferFailed(f"the server did not answer within {_CONNECT_S:.0f} s")
    if isinstance(error, requests.exceptions.Timeout | urllib3.exceptions.ReadTimeoutError):
        return TransferFailed(f"nothing arrived for {silence_s:g} s")
    if isinstance(error, urllib3.exceptions.ProtocolError | requests.exceptions.ChunkedEncodingError):
        return TransferFailed("the connection was cut")
    if isinstance(error, requests.exceptions.ConnectionError):
        return TransferFailed(f"the server cannot be reached ({_innermost(error)})")
    return TransferFailed(_innermost(error))


def _innermost(error: BaseException) -> str:
    """The cause at the bottom of a chain of wrapped exceptions, in one line."""
    while True:
        inner: Any = getattr(error, "reason", None) or next(
            (argument for argument in error.args if isinstance(argument, BaseException)), None
        )
        if not isinstance(inner, BaseException):
            break
        error = inner
    words = str(getattr(error, "strerror", None) or error) or type(error).__name__
    return " ".join(words.split())


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() else None
