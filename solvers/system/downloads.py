"""Downloads over HTTPS that can be cancelled and resumed, with checksums.

An incomplete file is kept as a part beside its target. A part is continued only if the
server says that the file is still the same (``If-Range`` of RFC 9110 with an ETag, or
else the date of the last change); otherwise it starts again. Each request runs in its
own thread, so that a download can be cancelled within milliseconds, even if the server
is silent.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import queue
import shutil
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any, BinaryIO

from solvers.errors import DownloadFailed, WrongChecksum
from solvers.system.cancel import SILENT, Progress
from solvers.system.disk_cache import make_way
from solvers.system.file_lock import MOST_PLACE, try_lock
from solvers.system.files import read_regular, reason_of
from solvers.text import format_bytes
from solvers.version import __version__

MOST_UNTOLD = 1 << 34  # bytes of a file whose length the server does not tell
_CONNECT_S = 15.0
# urllib3 delivers full pieces only, so that of a silent server one may be lost
_PIECE_BYTES = 1 << 14
_WAITING_PIECES = 64  # by which the receiver may lag behind
_POLL_S = 0.05
_HEADERS = {
    "User-Agent": f"Tautpath/{__version__}",
    # the bytes as published: their checksum is known, not that of their content
    "Accept-Encoding": "identity",
}
_GZIP_MARK = b"\x1f\x8b"
_RETRY = "Try again."
_LATER = "Try again later."
_REFUSALS: Mapping[int, tuple[str, str]] = {
    HTTPStatus.NOT_FOUND: (
        "the server does not have it (404)",
        "See the publisher's page for a new address.",
    ),
    HTTPStatus.GONE: (
        "the server does not have it any more (410)",
        "See the publisher's page for a new address.",
    ),
    HTTPStatus.FORBIDDEN: ("the server refuses access (403)", _LATER),
    HTTPStatus.TOO_MANY_REQUESTS: ("the server has had too many requests (429)", _LATER),
}
_MOST_ORIGIN = 1 << 16

log = logging.getLogger(__name__)
_in_use: set[Path] = set()  # parts that this process writes, whose own locks do not keep it out


@dataclass(frozen=True)
class Expected:
    """The checksum that a file must have."""

    sha256: str = ""  # hexadecimal; "" accepts any
    since: str = ""  # date on which it was recorded; "" if it comes with Tautpath


@dataclass(frozen=True)
class Patience:
    """When to give up."""

    silence_s: float = 30.0  # longest time without a byte
    attempts: int = 3  # in a row without a new byte, before a cut connection counts as a failure
    pause_s: float = 1.0  # between attempts


def fetch(
    url: str,  # an ``https://`` address
    target: Path,
    expected: Expected = Expected(),
    *,
    progress: Progress = SILENT,  # receives bytes done and in total
    patience: Patience = Patience(),
) -> str:
    """Download ``url`` to ``target``, going on where an earlier attempt ended; returns
    the SHA-256 of the file.

    ``target``: its folder is created. An existing file is replaced only by one with the
    expected checksum. Raises WrongChecksum: if the checksum is not the expected one;
    what arrived is removed. Raises DownloadFailed: for any other reason: address,
    network, server, disk. What arrived is kept if it can be continued. Raises
    Cancelled: what arrived is kept.
    """
    receiver = _Receiver(url, target, progress, patience)
    try:
        if target.is_file() and (found := sha256_of(target)) == (expected.sha256.lower() or found):
            return found
        return receiver.receive(expected)
    except OSError as error:
        raise receiver.failed(
            reason_of(error), "Make room, or choose another cache folder."
        ) from error


def sha256_of(path: Path) -> str:
    """SHA-256 of a file in hexadecimal digits; raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class _Receiver:
    def __init__(self, url: str, target: Path, progress: Progress, patience: Patience):
        self._url, self._target, self._progress, self._patience = url, target, progress, patience
        self._part = PartFile(target)

    def receive(self, expected: Expected) -> str:
        """Receive the file, and move it to the target if its checksum is as expected;
        returns the checksum.
        """
        if not self._url.startswith("https://"):
            raise self.failed("its address is not an HTTPS address")
        try:
            with self._part.opened() as file:
                self._receive(file)
        except BlockingIOError:
            raise DownloadFailed(
                self._target.name, self._url, "another download of it is running", "Wait for it."
            ) from None
        self._require_kind()
        found = sha256_of(self._part.path)
        if expected.sha256 and found != expected.sha256.lower():
            self._part.remove()
            raise WrongChecksum(
                self._target.name,
                self._url,
                expected.sha256,
                found,
                published=not expected.since,
                since=expected.since,
            )
        self._part.complete()
        return found

    def failed(self, reason: str, remedy: str = "") -> DownloadFailed:
        kept = self._part.size if self._part.origin is not None else 0
        return DownloadFailed(self._target.name, self._url, reason, remedy, kept_bytes=kept)

    def _receive(self, file: BinaryIO) -> None:
        """Receive the rest of the file in as many attempts as bring something."""
        vain = 0
        while True:
            before = file.tell()
            try:
                self._attempt(file)
                return
            except _TransferFailed as failure:
                vain = 0 if file.tell() > before else vain + 1
                log.debug("attempt failed at byte %d: %s", file.tell(), failure)
                file.flush()
                if failure.lasting or vain >= self._patience.attempts:
                    raise self.failed(str(failure), "" if failure.lasting else _RETRY) from failure
            self._wait()

    def _attempt(self, file: BinaryIO) -> None:
        have, origin = file.tell(), self._part.origin
        going_on = have > 0 and origin is not None and origin.url == self._url
        headers = (
            {"Range": f"bytes={have}-", "If-Range": origin.validator} if going_on and origin else {}
        )
        with _Transfer(self._url, headers, self._patience.silence_s) as transfer:
            head = transfer.head(self._progress)
            if head.status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                self._part.begin(file, _Origin(self._url, ""))
                raise _TransferFailed("the file has become shorter on the server")
            self._require_file(head)
            if head.status != HTTPStatus.PARTIAL_CONTENT or head.first != have:
                if head.first:
                    raise _TransferFailed(
                        "the server sent a different part of the file than requested", lasting=True
                    )
                self._part.begin(file, _Origin(self._url, head.validator))
            log.info("receiving %s from byte %d of %s", self._url, file.tell(), head.total)
            self._require_room(head, file.tell())
            for piece in transfer.pieces(self._progress):
                if head.total is None and file.tell() + len(piece) > MOST_UNTOLD:
                    self._part.begin(file, _Origin(self._url, ""))
                    most = format_bytes(MOST_UNTOLD)
                    raise self.failed(f"the server tells no length, and sends more than {most}")
                file.write(piece)
                if head.total:
                    self._progress.checkpoint(file.tell(), head.total)
            if head.total is not None and file.tell() != head.total:
                raise _TransferFailed("the connection was cut")

    def _require_file(self, head: _Head) -> None:
        """Raise unless the server sends a file; failures of its own may be over soon."""
        if head.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise _TransferFailed(f"the server reports an internal error ({head.status})")
        if head.status not in (HTTPStatus.OK, HTTPStatus.PARTIAL_CONTENT):
            raise self.failed(
                *_REFUSALS.get(head.status, (f"the server answered {head.status}", _LATER))
            )
        if head.content_type == "text/html":
            remedy = "Some networks ask for a login first: open any page in a browser."
            raise self.failed("a web page arrived instead", remedy)

    def _require_room(self, head: _Head, have: int) -> None:
        free = shutil.disk_usage(self._target.parent).free
        if head.total is not None and head.total - have > free:
            needed = format_bytes(head.total - have)
            raise self.failed(
                f"it needs {needed} more; the disk has {format_bytes(free)} free", "Make room."
            )

    def _require_kind(self) -> None:
        """A checksum that is recorded first must not be that of an error page."""
        with self._part.path.open("rb") as file:
            mark = file.read(len(_GZIP_MARK))
        if self._target.suffix == ".gz" and mark != _GZIP_MARK:
            self._part.remove()
            raise self.failed(
                "the file is not compressed by gzip, although its name says so", _LATER
            )

    def _wait(self) -> None:
        end = time.monotonic() + self._patience.pause_s
        while time.monotonic() < end:
            self._progress.checkpoint()
            time.sleep(0.02)


@dataclass(frozen=True)
class _Origin:
    """What must be unchanged for a part to be continued; the validator is that of `_Head`."""

    url: str
    validator: str


class PartFile:
    """``NAME.part`` beside the target, with ``NAME.part.json``, which says where it came from."""

    def __init__(self, target: Path):
        self._target = target
        self.path = target.with_name(f"{target.name}.part")
        self._origin_path = target.with_name(f"{target.name}.part.json")

    @property
    def size(self) -> int:
        """Bytes that have arrived."""
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    @property
    def origin(self) -> _Origin | None:
        """Where it came from; None if there is no part, or it cannot be continued."""
        try:
            origin = _Origin(**json.loads(read_regular(self._origin_path, _MOST_ORIGIN)))
        except (OSError, ValueError, TypeError):
            return None
        return origin if origin.validator and self.size else None

    @contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """The file, open for appending; raises BlockingIOError if another download
        writes it, and other OSErrors.
        """
        if self.path in _in_use:
            raise BlockingIOError
        _in_use.add(self.path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            make_way(self.path)
            with self.path.open("ab") as file:
                if not try_lock(file.fileno(), MOST_PLACE):
                    raise BlockingIOError
                yield file
        finally:
            _in_use.discard(self.path)

    def begin(self, file: BinaryIO, origin: _Origin) -> None:
        """Empty the file, which will come from ``origin``."""
        file.seek(0)
        file.truncate()
        make_way(self._origin_path)
        self._origin_path.write_text(json.dumps(asdict(origin)), "utf-8")

    def complete(self) -> None:
        """Move the file to the target."""
        os.replace(self.path, self._target)
        self.remove()

    def remove(self) -> None:
        for path in (self.path, self._origin_path):
            with suppress(OSError):
                path.unlink(missing_ok=True)


class _TransferFailed(Exception):
    """A request failed; a lasting failure, unlike a cut connection, would recur at once."""

    def __init__(self, reason: str, *, lasting: bool = False):
        self.lasting = lasting
        super().__init__(reason)


@dataclass(frozen=True)
class _Head:
    """What a server says before it sends a file."""

    status: int
    first: int  # position of the first byte that follows
    total: int | None  # bytes of the whole file, if the server tells them
    # changes when the file does: ETag, else the date of the last change; "" if there is
    # none
    validator: str
    content_type: str

    @classmethod
    def of(cls, status: int, headers: Mapping[str, str]) -> _Head:
        tag = headers.get("ETag", "")
        validator = tag if tag and not tag.startswith("W/") else headers.get("Last-Modified", "")
        first, total = 0, _number(headers.get("Content-Length", ""))
        if status == HTTPStatus.PARTIAL_CONTENT:  # Content-Range: bytes 100-999/1000
            span, _, whole = headers.get("Content-Range", "").removeprefix("bytes ").partition("/")
            first, total = _number(span.partition("-")[0]) or 0, _number(whole)
        return cls(
            status,
            first,
            total,
            validator,
            headers.get("Content-Type", "").partition(";")[0].strip().lower(),
        )


class _Transfer:
    """A running request. Use it in a ``with`` block: leaving the block ends it.

    The address, and every one that the server redirects to, must begin with
    ``https://``. The transfer fails after ``silence_s`` seconds without a byte.
    """

    def __init__(self, url: str, headers: Mapping[str, str], silence_s: float):
        self._url, self._headers, self._silence_s = url, {**_HEADERS, **headers}, silence_s
        self._arrived: queue.Queue[_Head | bytes | BaseException | None] = queue.Queue(
            _WAITING_PIECES
        )
        self._left = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"download: {url}", daemon=True)

    def __enter__(self) -> _Transfer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._left.set()  # the thread ends at its next piece, or after the silence

    def head(self, progress: Progress) -> _Head:
        """Wait for the server's answer; raises `_TransferFailed` and `Cancelled`."""
        head = self._next(progress)
        assert isinstance(head, _Head)
        return head

    def pieces(self, progress: Progress) -> Iterator[bytes]:
        """The file's bytes as they arrive; raises `_TransferFailed` and `Cancelled`."""
        while isinstance(piece := self._next(progress), bytes):
            yield piece

    def _next(self, progress: Progress) -> _Head | bytes | None:
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
        except Exception as error:  # delivered to the thread that waits, which raises it
            self._deliver(error)

    def _request(self) -> None:
        import requests  # imported here: few sessions download anything
        import urllib3

        try:
            with requests.Session() as session:
                session.adapters.pop("http://")
                with session.get(
                    self._url,
                    headers=self._headers,
                    stream=True,
                    timeout=(_CONNECT_S, self._silence_s),
                ) as response:
                    wanted = self._deliver(_Head.of(response.status_code, response.headers))
                    pieces = response.raw.stream(_PIECE_BYTES, decode_content=False)
                    while wanted and (piece := next(pieces, None)) is not None:
                        wanted = self._deliver(piece)
            self._deliver(None)
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            self._deliver(_failure(error, self._silence_s))

    def _deliver(self, item: _Head | bytes | BaseException | None) -> bool:
        """Hand over what arrived; False if nobody waits for the transfer any more."""
        while not self._left.is_set():
            with suppress(queue.Full):
                self._arrived.put(item, timeout=_POLL_S)
                return True
        return False


def _failure(error: Exception, silence_s: float) -> _TransferFailed:
    """The failure in words, by the kind of exception of requests and urllib3."""
    import requests
    import urllib3

    if isinstance(error, requests.exceptions.InvalidSchema):
        return _TransferFailed("the server redirects to an address without HTTPS", lasting=True)
    if isinstance(error, requests.exceptions.TooManyRedirects):
        return _TransferFailed("the server redirects without end", lasting=True)
    if isinstance(error, requests.exceptions.SSLError):
        return _TransferFailed(
            f"the server's certificate is not trusted ({_innermost(error)})", lasting=True
        )
    if isinstance(error, requests.exceptions.ConnectTimeout):
        return _TransferFailed(f"the server did not answer within {_CONNECT_S:.0f} s")
    if isinstance(error, requests.exceptions.Timeout | urllib3.exceptions.ReadTimeoutError):
        return _TransferFailed(f"nothing arrived for {silence_s:g} s")
    if isinstance(
        error, urllib3.exceptions.ProtocolError | requests.exceptions.ChunkedEncodingError
    ):
        return _TransferFailed("the connection was cut")
    if isinstance(error, requests.exceptions.ConnectionError):
        return _TransferFailed(f"the server cannot be reached ({_innermost(error)})")
    return _TransferFailed(_innermost(error))


def _innermost(error: BaseException) -> str:
    """The cause at the bottom of a chain of wrapped exceptions, in one line."""
    while True:
        inner: Any = getattr(error, "reason", None) or next(
            (argument for argument in error.args if isinstance(argument, BaseException)), None
        )
        if not isinstance(inner, BaseException):
            break
        error = inner
    text = str(getattr(error, "strerror", None) or error) or type(error).__name__
    return " ".join(text.split())


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() else None
