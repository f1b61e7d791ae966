"""Input of a reading: files that are opened several times, text in blocks of whole
lines, and progress.

`InputFile` reports errors of opening, and changes while a file is read. A pipe or
device can be read only once. What has been read of it is kept in a temporary file, so
that later openings begin at its start again.

`TextSource` decompresses gzip and gives descriptive errors. `ReadingProgress` is the
progress of several files, then of building the graph, as one fraction. `whole_text` reads
a text at once, for formats whose readers need all of it.
"""

from __future__ import annotations

import difflib
import gzip
import io
import os
import select
import stat
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, BinaryIO, cast

from solvers.errors import FileFormatError, FileMissing, OutOfMemory
from solvers.system import machine
from solvers.system.cancel import Progress
from solvers.system.files import NotRegularFile, open_regular, require_regular
from solvers.text import format_bytes, printable, quoted

PIPE_LIMIT = 2**33  # bytes kept of a pipe
_PULLED = 2**16  # bytes asked of a pipe at a time: what Linux buffers
_PATIENCE_MS = 50  # between two checks for cancellation while a pipe has nothing to read
_FILE_OR_PIPE = (
    "Choose a file or a pipe: to read the output of a program, "
    "use “program | tautpath info /dev/stdin”."
)
_Stamp = tuple[int, int, int, int]

# decompressed and parsed in about 10 ms: the interval of progress and cancellation
# checks
BLOCK_BYTES = 2**20
LONGEST_LINE = 2**20
_GZIP_MAGIC = b"\x1f\x8b"
_LFS_POINTER = b"version https://git-lfs.github.com/spec/"
_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")

# weight of a pipe, whose size is unknown: at this position half of it counts as read
_PIPE_BYTES = 2**26


class InputFile:
    """A graph or coordinates file.

    Raises FileMissing; FileFormatError if it is a directory, device or socket, or the
    system refuses.

    Parameters
    ----------
    checkpoint : callable
        Called while a pipe is waited for and read; may raise to cancel.

    Attributes
    ----------
    size : int or None
        In bytes; None if unknown, as for a pipe.
    """

    def __init__(self, path: Path, checkpoint: Callable[[], None] = lambda: None):
        self.path = path
        self._stamp: _Stamp | None = None
        self._pipe: _Pipe | None = None
        try:
            mode, size = _kind_and_size(path)
            self.size = size if stat.S_ISREG(mode) and size else None
            if self.size is None:
                self._pipe = _Pipe(path, checkpoint)
        except (OSError, ValueError) as error:
            raise _not_opened(path, error) from None

    def __enter__(self) -> InputFile:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pipe is not None:
            self._pipe.close()

    def open(self) -> BinaryIO:
        """Open the file at its start; `FileFormatError` if that fails or it has changed
        since it was first opened.
        """
        if self._pipe is not None:
            return cast(BinaryIO, io.BufferedReader(_PipeView(self._pipe)))
        try:
            handle = open_regular(self.path)
        except (OSError, ValueError) as error:
            raise _not_opened(self.path, error) from None
        try:
            self.require_unchanged(handle)
        except BaseException:
            handle.close()
            raise
        return handle

    def error(
        self, reason: str, hint: str = "", *, line: int | None = None, text: str = ""
    ) -> FileFormatError:
        """The error for what is wrong with this file; see `FileFormatError`."""
        return FileFormatError(self.path, reason, line=line, text=text, hint=hint)

    def require_unchanged(self, handle: BinaryIO) -> None:
        """Raise `FileFormatError` if the open file is another, or of another size or
        date, than when first opened.
        """
        if self._pipe is not None:
            return
        status = os.fstat(handle.fileno())
        stamp = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
        self._stamp = self._stamp or stamp
        if stamp != self._stamp:
            raise FileFormatError(
                self.path,
                "the file changed while it was read",
                hint="Read it again when it is complete.",
            )


def _kind_and_size(path: Path) -> tuple[int, int]:
    """Mode and size of a regular file or a pipe; raises OSError for others."""
    status = os.stat(path)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError
    if not stat.S_ISFIFO(status.st_mode):
        require_regular(status, path)
    return status.st_mode, status.st_size


class _Pipe:
    """A pipe, and the temporary file that holds what has been read of it."""

    def __init__(self, path: Path, checkpoint: Callable[[], None]):
        self._path, self._checkpoint = path, checkpoint
        self._length = 0
        self._ended = False
        # Non-blocking, since opening a FIFO would otherwise wait, uncancellable, for its writer.
        flags = (
            os.O_RDONLY
            | getattr(os, "O_NONBLOCK", 0)
            | getattr(os, "O_NOCTTY", 0)
            | getattr(os, "O_BINARY", 0)
        )
        self._descriptor = os.open(path, flags | getattr(os, "O_CLOEXEC", 0))
        self._may_wait = stat.S_ISFIFO(os.fstat(self._descriptor).st_mode)
        self._kept: BinaryIO | None = None

    def read(self, position: int, size: int) -> bytes:
        """Up to ``size`` bytes from ``position`` on; b"" at the end."""
        while position >= self._length and not self._ended:
            self._pull()
        if self._kept is None:
            return b""
        self._kept.seek(position)
        return self._kept.read(size)

    def length(self) -> int:
        """Bytes in all; the pipe is read to its end."""
        while not self._ended:
            self._pull()
        return self._length

    def close(self) -> None:
        os.close(self._descriptor)
        if self._kept is not None:
            self._kept.close()

    def _pull(self) -> None:
        self._wait()
        try:
            chunk = os.read(self._descriptor, _PULLED)
        except BlockingIOError:
            if self._may_wait:
                return
            reason = "this is an endless system file"
            raise FileFormatError(self._path, reason, hint=_FILE_OR_PIPE) from None
        self._ended = not chunk
        if self._length + len(chunk) > PIPE_LIMIT:
            reason = (
                f"it is longer than {format_bytes(PIPE_LIMIT)}, the most that is read from a pipe"
            )
            raise FileFormatError(self._path, reason, hint="Write it to a file first.")
        try:
            if self._kept is None:
                kept = tempfile.TemporaryFile(prefix="tautpath-")  # noqa: SIM115
                self._kept = cast(BinaryIO, kept)
            self._kept.seek(self._length)
            self._kept.write(chunk)
            self._kept.flush()
        except OSError as error:
            reason = (
                f"data from a pipe cannot be stored in a temporary file ({error.strerror or error})"
            )
            raise FileFormatError(
                self._path, reason, hint="Write it to a file first, or set TMPDIR."
            ) from None
        self._length += len(chunk)

    def _wait(self) -> None:
        """Wait until there is something to read."""
        self._checkpoint()
        if not self._may_wait or not hasattr(select, "poll"):  # Windows: os.read waits
            return
        poller = select.poll()
        poller.register(self._descriptor, select.POLLIN)
        while not poller.poll(_PATIENCE_MS):
            self._checkpoint()


class _PipeView(io.RawIOBase):
    """A reading position in a pipe."""

    def __init__(self, pipe: _Pipe):
        self._pipe = pipe
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        begin = {io.SEEK_SET: 0, io.SEEK_CUR: self._position}.get(whence)
        self._position = offset + (self._pipe.length() if begin is None else begin)
        return self._position

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        chunk = self._pipe.read(self._position, len(buffer))
        buffer[: len(chunk)] = chunk
        self._position += len(chunk)
        return len(chunk)


def _not_opened(path: Path, error: OSError | ValueError) -> FileFormatError | FileMissing:
    if isinstance(error, FileNotFoundError):
        return FileMissing(path, _nearest(path))
    # Windows raises PermissionError for a directory
    if isinstance(error, IsADirectoryError) or os.path.isdir(path):
        return FileFormatError(path, "this is a directory", hint="Choose a file in it.")
    if isinstance(error, NotRegularFile):
        return FileFormatError(
            path, str(error.strerror).replace("it is", "this is"), hint=_FILE_OR_PIPE
        )
    if isinstance(error, PermissionError):
        hint = "Change its permissions or those of its folder, or copy it."
        return FileFormatError(path, "no permission to read it", hint=hint)
    reason = error.strerror if isinstance(error, OSError) else error
    return FileFormatError(path, f"it cannot be opened ({reason})", hint="Choose another file.")


def _nearest(path: Path) -> str:
    if not os.path.isdir(path.parent):
        return f"The folder {quoted(str(path.parent), 200)} does not exist either."
    try:
        names = os.listdir(path.parent)
    except OSError:
        return ""
    near = difflib.get_close_matches(path.name[:255], names, n=3)
    return f"Nearest: {', '.join(map(quoted, near))}." if near else ""


class TextSource:
    """A text file, plain or gzip, read in blocks that end at line ends, with a check
    for cancellation after each.

    Blocks that are not ``counted``, of a look at the file before or besides its
    reading, are no progress. Raises FileFormatError if the file cannot be opened;
    during reading, if it cannot be decompressed or is not text.
    """

    def __init__(self, file: InputFile, progress: ReadingProgress, *, counted: bool = True):
        self.file = file
        self.progress = progress
        self._counted = counted
        self._raw = file.open()
        # decompressed; opened by the first read, which may fail
        self._stream: IO[bytes] | None = None
        # whether the last chunk ended with a carriage return, not yet passed on
        self._held_return = False

    def __enter__(self) -> TextSource:
        return self

    def __exit__(self, *_: object) -> None:
        self._raw.close()

    @property
    def path(self) -> Path:
        return self.file.path

    def check(self) -> None:
        """Check for cancellation, between blocks."""
        self.progress.check()

    def blocks(self) -> Iterator[bytes]:
        """The text in blocks of about 1 MB, each ending at a line end. CR and CR LF become LF."""
        tail = b""
        for chunk in self.chunks():
            cut = chunk.rfind(b"\n") + 1
            if not cut:
                tail += chunk
                if len(tail) > LONGEST_LINE:
                    limit = format_bytes(LONGEST_LINE)
                    raise self._not_text(
                        f"this is a binary file, or a text file with a line of more than {limit}"
                    )
                continue
            yield tail + chunk[:cut]
            tail = chunk[cut:]
        if tail:
            yield tail

    def chunks(self) -> Iterator[bytes]:
        """The text in pieces of about 1 MB that end anywhere, for formats without
        lines. CR and CR LF become LF.
        """
        first = True
        while chunk := self._read():
            if first:
                chunk, first = self._checked_start(chunk), False
            if b"\0" in chunk:
                raise self._not_text("this is a binary file, not a text file")
            yield self._with_line_feeds(chunk)
        if self._held_return:
            yield b"\n"
        self.file.require_unchanged(self._raw)
        if self._counted:
            self.progress.file_done(self.file)

    def _with_line_feeds(self, chunk: bytes) -> bytes:
        """The chunk with LF for CR and CR LF; a final CR waits for the next chunk,
        which may begin with its LF.
        """
        if self._held_return:
            chunk = b"\r" + chunk
        self._held_return = chunk.endswith(b"\r")
        if b"\r" not in chunk:
            return chunk
        return chunk[: len(chunk) - self._held_return].replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _read(self) -> bytes:
        try:
            chunk = self._decompressed().read(BLOCK_BYTES)
            position = self._raw.tell()
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            reason = "truncated" if isinstance(error, EOFError) else f"corrupt ({error})"
            hint = "Download or copy the file again."
            raise FileFormatError(self.path, f"the gzip data are {reason}", hint=hint) from None
        except OSError as error:
            reason = f"it cannot be read ({error.strerror or error})"
            raise FileFormatError(
                self.path, reason, hint="Check the disk, or copy the file again."
            ) from None
        if self._counted:
            self.progress.at(self.file, position)
        else:
            self.progress.check()
        return chunk

    def _decompressed(self) -> IO[bytes]:
        if self._stream is None:
            magic = self._raw.read(len(_GZIP_MAGIC))
            self._raw.seek(0)
            self._stream = self._raw
            if magic == _GZIP_MAGIC:
                self._stream = cast(
                    IO[bytes], gzip.GzipFile(fileobj=CheckedReads(self._raw, self.check))
                )
        return self._stream

    def _checked_start(self, chunk: bytes) -> bytes:
        if chunk.startswith(_LFS_POINTER):
            raise FileFormatError(
                self.path, "this is a Git LFS pointer, not the file", hint="Run git lfs pull."
            )
        if chunk.startswith(_UTF16_MARKS):
            raise FileFormatError(
                self.path, "the text is UTF-16", hint="Save it as UTF-8 or ASCII."
            )
        return chunk.removeprefix(_UTF8_MARK)

    def _not_text(self, reason: str) -> FileFormatError:
        return FileFormatError(
            self.path, reason, hint="Unpack archives first; gzip files can be read directly."
        )


class CheckedReads(io.RawIOBase):
    """Checks for cancellation at every read: a gzip file may hold millions of empty
    members, or an endless name.
    """

    def __init__(self, raw: IO[bytes], check: Callable[[], None]):
        self._raw, self._check = raw, check

    def read(self, size: int = -1, /) -> bytes:
        self._check()
        return self._raw.read(size)


class ReadingProgress:
    """Combines the progress of reading files, in the order given, and of building the
    graph into one fraction.
    """

    BUILD_SHARE = 0.2

    def __init__(self, progress: Progress, *files: InputFile):
        self._progress = progress
        self._total = sum(map(_weight, files)) or 1
        self._done = 0

    def at(self, file: InputFile, position: int) -> None:
        """Report that ``position`` bytes of the current file have been read."""
        read = (
            _PIPE_BYTES * position / (_PIPE_BYTES + position)
            if file.size is None
            else min(position, file.size)
        )
        self._progress.checkpoint(
            (1 - self.BUILD_SHARE) * min(1.0, (self._done + read) / self._total), 1.0
        )

    def read_about(self, file: InputFile, share: float) -> None:
        """Report that about this share of the current file has been read, if its
        position is unknown.
        """
        read = min(1.0, share) * _weight(file)
        self._progress.checkpoint(
            (1 - self.BUILD_SHARE) * min(1.0, (self._done + read) / self._total), 1.0
        )

    def file_done(self, file: InputFile) -> None:
        self._done += _weight(file)

    def check(self) -> None:
        """Check for cancellation without reporting progress."""
        self._progress.checkpoint()

    def building(self, fraction: float) -> None:
        """Report the fraction done of building the graph, which follows the reading."""
        self._progress.checkpoint(1 - self.BUILD_SHARE * (1 - fraction), 1.0)


def _weight(file: InputFile) -> int:
    return _PIPE_BYTES if file.size is None else file.size


def whole_text(file: InputFile, progress: ReadingProgress, bytes_per_byte: float) -> bytes:
    """The decompressed text of a file, with LF line ends and without a byte order mark.

    Reading takes at most ``bytes_per_byte`` of memory for one byte of text, as measured
    (tests/benchmarks/2026-11/files.md). Raises OutOfMemory as soon as the size of the file or
    of the text read so far shows that it needs more than is free; FileFormatError if it
    cannot be read, or is not a text.
    """
    free = machine.memory().free_bytes
    what = f"Reading {printable(file.path.name)}"
    if file.size is not None:
        _require(what, file.size * bytes_per_byte, free)
    text = bytearray()
    progress.check()
    with TextSource(file, progress) as source:
        for chunk in source.chunks():
            text += chunk
            _require(what, len(text) * bytes_per_byte, free)
    return bytes(text)


def _require(what: str, needed: float, free: int) -> None:
    if needed > free:
        raise OutOfMemory(
            what,
            int(needed),
            free,
            remedy="As a table of edges or a DIMACS file it needs far less.",
        )


def decoded(file: InputFile, text: bytes) -> str:
    """UTF-8 text; `FileFormatError` with the line of the first byte that is none."""
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise file.error("the text is not UTF-8", line=line, hint="Save it as UTF-8.") from None
