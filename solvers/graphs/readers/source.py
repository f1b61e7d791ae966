"""Text input in blocks of whole lines, with gzip decompression and descriptive errors."""

from __future__ import annotations

import difflib
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import IO

from solvers.errors import FileFormatError
from solvers.host.observer import SILENT, Observer

BLOCK_BYTES = 2**20  # decompressed and parsed in about 10 ms: the interval of progress and cancellation checks
_LONGEST_LINE = 2**20
_GZIP_MAGIC = b"\x1f\x8b"
_LFS_POINTER = b"version https://git-lfs.github.com/spec/"
_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


class ReadingProgress:
    """Combines the progress of reading several files and of building the graph into one fraction.

    Parameters
    ----------
    observer : Observer
    paths : Path
        The files, in the order in which they will be read.
    """

    BUILD_SHARE = 0.2

    def __init__(self, observer: Observer, *paths: Path):
        self._observer = observer
        self._total = sum(path.stat().st_size for path in paths if path.is_file()) or 1
        self._done = 0

    def at(self, position: int) -> None:
        """Report that ``position`` bytes of the current file have been read."""
        self._observer.checkpoint((1 - self.BUILD_SHARE) * min(1.0, (self._done + position) / self._total), 1.0)

    def file_done(self, size: int) -> None:
        self._done += size

    def check(self) -> None:
        """Check for cancellation without reporting progress."""
        self._observer.checkpoint()

    def building(self, fraction: float) -> None:
        """Report the fraction done of building the graph, which follows the reading."""
        self._observer.checkpoint(1 - self.BUILD_SHARE * (1 - fraction), 1.0)


class TextSource:
    """A text file, plain or gzip, read in blocks that end at line ends.

    Parameters
    ----------
    path : Path
    progress : ReadingProgress, optional
        Receives the number of bytes read after every block.

    Raises
    ------
    FileFormatError
        If the file cannot be opened; during reading, if it cannot be decompressed or is not text.
    """

    def __init__(self, path: Path, progress: ReadingProgress | None = None):
        self.path = path
        self._progress = progress or ReadingProgress(SILENT)
        self._raw = _open(path)
        magic = self._raw.read(2)
        self._raw.seek(0)
        self._stream: IO[bytes] = gzip.GzipFile(fileobj=self._raw) if magic == _GZIP_MAGIC else self._raw  # type: ignore[assignment]

    def __enter__(self) -> TextSource:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._raw.close()

    def check(self) -> None:
        """Check for cancellation, between blocks."""
        self._progress.check()

    def blocks(self) -> Iterator[bytes]:
        """The text in blocks of about 1 MB, each ending at a line end."""
        first = True
        tail = b""
        while chunk := self._read():
            if first:
                chunk = self._checked_start(chunk)
                first = False
            if b"\0" in chunk:
                raise self._not_text()
            cut = chunk.rfind(b"\n") + 1
            if not cut:
                tail += chunk
                if len(tail) > _LONGEST_LINE:
                    raise self._not_text()
                continue
            yield tail + chunk[:cut]
            tail = chunk[cut:]
        if tail:
            yield tail
        self._progress.file_done(self._raw.tell())

    def _read(self) -> bytes:
        try:
            chunk = self._stream.read(BLOCK_BYTES)
            self._progress.at(self._raw.tell())
        except EOFError:
            raise FileFormatError(
                self.path, "the gzip data are truncated", hint="Download or copy the file again."
            ) from None
        except (zlib.error, gzip.BadGzipFile) as error:
            raise FileFormatError(
                self.path, f"the gzip data are corrupt ({error})", hint="Download or copy the file again."
            ) from None
        except OSError as error:
            raise FileFormatError(self.path, f"it cannot be read ({error.strerror or error})") from None
        return chunk

    def _checked_start(self, chunk: bytes) -> bytes:
        if chunk.startswith(_LFS_POINTER):
            raise FileFormatError(self.path, "this is a Git LFS pointer, not the file", hint="Run git lfs pull.")
        if chunk.startswith(_UTF16_MARKS):
            raise FileFormatError(self.path, "the text is UTF-16", hint="Save it as UTF-8 or ASCII.")
        return chunk.removeprefix(_UTF8_MARK)

    def _not_text(self) -> FileFormatError:
        return FileFormatError(
            self.path,
            "this is a binary file, not a text file",
            hint="Unpack archives first; gzip files can be read directly.",
        )


def _open(path: Path) -> IO[bytes]:
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise FileFormatError(path, "there is no such file", hint=_nearest(path)) from None
    except (IsADirectoryError, PermissionError):
        if path.is_dir():  # Windows raises PermissionError for a directory
            raise FileFormatError(path, "this is a directory", hint="Choose a file in it.") from None
        raise FileFormatError(path, "no permission to read it", hint="Change its permissions, or copy it.") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise FileFormatError(path, f"it cannot be opened ({reason})") from None


def _nearest(path: Path) -> str:
    if not path.parent.is_dir():
        return f"The folder {path.parent} does not exist either."
    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        return ""
    near = difflib.get_close_matches(path.name, names, n=3)
    return f"Nearest: {', '.join(near)}." if near else ""
