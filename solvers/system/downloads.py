"""Downloads over HTTPS that can be cancelled and resumed, with checksums.

pooch checks a file and places it; what pooch lacks, resuming and cancelling, is done here. pooch removes what has
arrived when a download fails. It accepts a function that downloads, and `_Receiver` is one that continues a part kept
beside the place of the whole file until that is complete. A part is continued only if the server says that the file is
still the same (``If-Range`` of RFC 9110 with an ETag, or else the date of the last change); otherwise it starts again.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from http import HTTPStatus
from pathlib import Path
from typing import BinaryIO

from solvers.errors import DownloadFailed, WrongChecksum
from solvers.system.cancel import SILENT, Progress
from solvers.system.disk_cache import make_way
from solvers.system.file_lock import MOST_PLACE, try_lock
from solvers.system.files import read_regular, reason_of
from solvers.system.transfer import Head, Transfer, TransferFailed
from solvers.text import format_bytes

_GZIP_MARK = b"\x1f\x8b"
_RETRY = "Try again."
_LATER = "Try again later."
_REFUSALS: Mapping[int, tuple[str, str]] = {
    HTTPStatus.NOT_FOUND: ("the server does not have it (404)", "Look at the publisher's page for a new address."),
    HTTPStatus.GONE: ("the server does not have it any more (410)", "Look at the publisher's page for a new address."),
    HTTPStatus.FORBIDDEN: ("the server refuses access (403)", _LATER),
    HTTPStatus.TOO_MANY_REQUESTS: ("the server has had too many requests (429)", _LATER),
}


@dataclass(frozen=True)
class Expected:
    """The checksum that a file must have.

    Attributes
    ----------
    sha256 : str
        Hexadecimal; "" accepts any.
    since : str
        Date on which it was recorded; "" if Tautline brings it.
    """

    sha256: str = ""
    since: str = ""


@dataclass(frozen=True)
class Patience:
    """When to give up.

    Attributes
    ----------
    silence_s : float
        Longest time without a byte.
    attempts : int
        In a row without a new byte, before a cut connection counts as a failure.
    pause_s : float
        Between attempts.
    """

    silence_s: float = 30.0
    attempts: int = 3
    pause_s: float = 1.0


def fetch(
    url: str,
    target: Path,
    expected: Expected = Expected(),
    *,
    progress: Progress = SILENT,
    patience: Patience = Patience(),
) -> str:
    """Download ``url`` to ``target``, going on where an earlier attempt ended.

    Parameters
    ----------
    url : str
        An ``https://`` address.
    target : Path
        Its folder is created. An existing file is replaced only by one with the expected checksum.
    expected : Expected
    progress : Progress
        Receives bytes done and in total, and is checked for cancellation at least every 50 ms.
    patience : Patience

    Returns
    -------
    str
        SHA-256 of the file.

    Raises
    ------
    WrongChecksum
        If the checksum is not the expected one; what arrived is removed.
    DownloadFailed
        Of any other kind: address, network, server, disk. What arrived is kept, where it can be continued.
    Cancelled
        What arrived is kept.
    """
    import pooch  # imported here: few sessions download anything

    pooch.get_logger().setLevel(logging.WARNING)  # it announces downloads on stderr
    receiver = _Receiver(target, progress, patience)
    try:
        pooch.retrieve(
            url, f"sha256:{expected.sha256}" if expected.sha256 else None,
            fname=target.name, path=target.parent, downloader=receiver,
        )  # fmt: skip
    except ValueError as error:
        raise WrongChecksum(
            target.name, url, expected.sha256, receiver.sha256, published=not expected.since, since=expected.since
        ) from error
    except OSError as error:
        raise receiver.failed(url, reason_of(error), "Make room, or choose another cache folder.") from error
    return receiver.sha256 or pooch.file_hash(str(target))


class _Receiver:
    """A downloader for pooch.

    Attributes
    ----------
    sha256 : str
        Of what was received.
    """

    def __init__(self, target: Path, progress: Progress, patience: Patience):
        self._target, self._progress, self._patience = target, progress, patience
        self._part = PartFile(target)
        self.sha256 = ""

    def __call__(self, url: str, output_file: str, _pooch: object, check_only: bool = False) -> None:
        """Receive ``url``, and move it to ``output_file``, where pooch checks it."""
        import pooch

        if not url.startswith("https://"):
            raise self.failed(url, "its address is not of HTTPS")
        try:
            with self._part.opened() as file:
                self._receive(url, file)
        except InUse:
            raise DownloadFailed(self._target.name, url, "another download of it is running", "Wait for it.") from None
        self._require_kind(url)
        self.sha256 = pooch.file_hash(str(self._part.path))
        self._part.complete_as(Path(output_file))

    def failed(self, url: str, reason: str, remedy: str = "") -> DownloadFailed:
        kept = self._part.size if self._part.origin is not None else 0
        return DownloadFailed(self._target.name, url, reason, remedy, kept_bytes=kept)

    def _receive(self, url: str, file: BinaryIO) -> None:
        """Receive the rest of the file in as many attempts as bring something."""
        vain = 0
        while True:
            before = file.tell()
            try:
                self._attempt(url, file)
                return
            except TransferFailed as failure:
                vain = 0 if file.tell() > before else vain + 1
                file.flush()
                if failure.lasting or vain >= self._patience.attempts:
                    raise self.failed(url, str(failure), "" if failure.lasting else _RETRY) from failure
            self._wait()

    def _attempt(self, url: str, file: BinaryIO) -> None:
        have, origin = file.tell(), self._part.origin
        going_on = have > 0 and origin is not None and origin.url == url
        headers = {"Range": f"bytes={have}-", "If-Range": origin.validator} if going_on and origin else {}
        with Transfer(url, headers, self._patience.silence_s) as transfer:
            head = transfer.head(self._progress)
            if head.status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                self._part.begin(file, Origin(url, ""))
                raise TransferFailed("the file has become shorter on the server")
            self._require_file(url, head)
            if head.status != HTTPStatus.PARTIAL_CONTENT or head.first != have:
                if head.first:
                    raise TransferFailed("the server sent another part of the file than was asked for", lasting=True)
                self._part.begin(file, Origin(url, head.validator))
            self._require_room(url, head, file.tell())
            for piece in transfer.pieces(self._progress):
                file.write(piece)
                if head.total:
                    self._progress.checkpoint(file.tell(), head.total)
            if head.total is not None and file.tell() != head.total:
                raise TransferFailed("the connection was cut")

    def _require_file(self, url: str, head: Head) -> None:
        """Raise unless the server sends a file; failures of its own may be over soon."""
        if head.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise TransferFailed(f"the server has a problem of its own ({head.status})")
        if head.status not in (HTTPStatus.OK, HTTPStatus.PARTIAL_CONTENT):
            raise self.failed(url, *_REFUSALS.get(head.status, (f"the server answered {head.status}", _LATER)))
        if head.content_type == "text/html":
            raise self.failed(
                url,
                "a web page arrived in its place",
                "Some networks ask for a login first: open any page in a browser.",
            )

    def _require_room(self, url: str, head: Head, have: int) -> None:
        free = shutil.disk_usage(self._target.parent).free
        if head.total is not None and head.total - have > free:
            needed = format_bytes(head.total - have)
            raise self.failed(url, f"it needs {needed} more; the disk has {format_bytes(free)} free", "Make room.")

    def _require_kind(self, url: str) -> None:
        """A checksum that is recorded first must not be that of an error page."""
        with self._part.path.open("rb") as file:
            mark = file.read(len(_GZIP_MARK))
        if self._target.suffix == ".gz" and mark != _GZIP_MARK:
            self._part.remove()
            raise self.failed(url, "what arrived is not compressed by gzip, as its name says", _LATER)

    def _wait(self) -> None:
        end = time.monotonic() + self._patience.pause_s
        while time.monotonic() < end:
            self._progress.checkpoint()
            time.sleep(0.02)


_MOST_ORIGIN = 1 << 16

_in_use: set[Path] = set()  # by this process, which its own locks do not keep out


class InUse(Exception):
    """Another download, perhaps of another program, writes the same file."""


@dataclass(frozen=True)
class Origin:
    """What must be unchanged for a part to be continued.

    Attributes
    ----------
    url : str
    validator : str
        As `Head.validator`.
    """

    url: str
    validator: str


class PartFile:
    """``NAME.part``, with ``NAME.part.json`` that tells where it came from.

    Parameters
    ----------
    target : Path
        Place of the whole file.
    """

    def __init__(self, target: Path):
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
    def origin(self) -> Origin | None:
        """Where it came from; None if there is no part, or it cannot be continued."""
        try:
            origin = Origin(**json.loads(read_regular(self._origin_path, _MOST_ORIGIN)))
        except (OSError, ValueError, TypeError):
            return None
        return origin if origin.validator and self.size else None

    @contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """The file, open for appending, for this download only; raises `InUse` if there is another, and OSError."""
        if self.path in _in_use:
            raise InUse
        _in_use.add(self.path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            make_way(self.path)
            with self.path.open("ab") as file:
                if not try_lock(file.fileno(), MOST_PLACE):
                    raise InUse
                yield file
        finally:
            _in_use.discard(self.path)

    def begin(self, file: BinaryIO, origin: Origin) -> None:
        """Empty the file, which will come from ``origin``."""
        file.seek(0)
        file.truncate()
        make_way(self._origin_path)
        self._origin_path.write_text(json.dumps(asdict(origin)), "utf-8")

    def complete_as(self, place: Path) -> None:
        """Move the file to ``place``."""
        os.replace(self.path, place)
        self.remove()

    def remove(self) -> None:
        """Remove what has arrived."""
        for path in (self.path, self._origin_path):
            with suppress(OSError):
                path.unlink(missing_ok=True)
