"""A file that is opened several times in one reading: errors of opening, pipes, and changes while it is read.

A pipe can be read only once. What has been read of it is kept in a temporary file, so that later openings begin at its
start again. Files of the system, such as those of /proc, which say that they are empty and are not, are read in the
same way, without waiting. Devices and sockets are not read.
"""

from __future__ import annotations

import difflib
import io
import os
import select
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, cast

from solvers.errors import FileFormatError, format_bytes, quoted
from solvers.host.files import NotRegularFile, open_regular, require_regular

PIPE_LIMIT = 2**33  # bytes kept of a pipe
_PULLED = 2**16  # bytes asked of a pipe at a time: what Linux buffers
_PATIENCE_MS = 50  # between two checks for cancellation while a pipe has nothing to read
_FILE_OR_PIPE = "Choose a file or a pipe: what a program writes is read by “program | tautline info /dev/stdin”."
_Stamp = tuple[int, int, int, int]


class InputFile:
    """A graph or coordinates file.

    Parameters
    ----------
    path : Path
    checkpoint : callable
        Called while a pipe is waited for and read; may raise to cancel.

    Attributes
    ----------
    path : Path
    size : int or None
        Size in bytes; None for a pipe, and for a file that does not tell.

    Raises
    ------
    FileFormatError
        If there is no such file, or it is a directory, device or socket, or the system refuses.
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

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pipe is not None:
            self._pipe.close()

    def open(self) -> BinaryIO:
        """Open the file at its start.

        Raises
        ------
        FileFormatError
            If it cannot be opened any more, or has changed since it was first opened.
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

    def require_unchanged(self, handle: BinaryIO) -> None:
        """Raise `FileFormatError` if the open file is another, or of another size or date, than when first opened."""
        if self._pipe is not None:
            return
        status = os.fstat(handle.fileno())
        stamp = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
        self._stamp = self._stamp or stamp
        if stamp != self._stamp:
            raise FileFormatError(
                self.path, "the file changed while it was read", hint="Read it again when it is complete."
            )


def _kind_and_size(path: Path) -> tuple[int, int]:
    """Mode and size of a regular file or a pipe.

    Raises
    ------
    IsADirectoryError, NotRegularFile
    OSError, ValueError
    """
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
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
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
            reason = "this is a file of the system that goes on without end"
            raise FileFormatError(self._path, reason, hint=_FILE_OR_PIPE) from None
        self._ended = not chunk
        if self._length + len(chunk) > PIPE_LIMIT:
            reason = f"it goes on past {format_bytes(PIPE_LIMIT)}, the most that is read from a pipe"
            raise FileFormatError(self._path, reason, hint="Write it to a file first.")
        try:
            if self._kept is None:
                self._kept = cast(BinaryIO, tempfile.TemporaryFile(prefix="tautline-"))  # noqa: SIM115
            self._kept.seek(self._length)
            self._kept.write(chunk)
            self._kept.flush()
        except OSError as error:
            reason = f"data from a pipe cannot be stored in a temporary file ({error.strerror or error})"
            raise FileFormatError(self._path, reason, hint="Write it to a file first, or set TMPDIR.") from None
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


def _not_opened(path: Path, error: OSError | ValueError) -> FileFormatError:
    if isinstance(error, FileNotFoundError):
        return FileFormatError(path, "there is no such file", hint=_nearest(path))
    if isinstance(error, IsADirectoryError) or os.path.isdir(path):  # Windows raises PermissionError for a directory
        return FileFormatError(path, "this is a directory", hint="Choose a file in it.")
    if isinstance(error, NotRegularFile):
        return FileFormatError(path, str(error.strerror).replace("it is", "this is"), hint=_FILE_OR_PIPE)
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
