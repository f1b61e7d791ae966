"""Text input in blocks of whole lines, with gzip decompression and descriptive errors."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, BinaryIO, cast

from solvers.errors import FileFormatError, format_bytes
from solvers.graphs.readers.input_file import InputFile
from solvers.graphs.readers.progress import ReadingProgress

BLOCK_BYTES = 2**20  # decompressed and parsed in about 10 ms: the interval of progress and cancellation checks
LONGEST_LINE = 2**20
_GZIP_MAGIC = b"\x1f\x8b"
_LFS_POINTER = b"version https://git-lfs.github.com/spec/"
_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


class TextSource:
    """A text file, plain or gzip, read in blocks that end at line ends.

    Parameters
    ----------
    file : InputFile
    progress : ReadingProgress
        Asked for cancellation after every block.
    counted : bool
        Whether the blocks count as progress; False for a look at the file before or besides its reading.

    Raises
    ------
    FileFormatError
        If the file cannot be opened; during reading, if it cannot be decompressed or is not text.
    """

    def __init__(self, file: InputFile, progress: ReadingProgress, *, counted: bool = True):
        self.file = file
        self.progress = progress
        self._counted = counted
        self._raw = file.open()
        self._stream: IO[bytes] | None = None  # decompressed; opened by the first read, which may fail
        self._held_return = False  # whether the last chunk ended with a carriage return, not yet passed on

    def __enter__(self) -> TextSource:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
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
                    raise self._not_text(f"this is a binary file, or a text file with a line of more than {limit}")
                continue
            yield tail + chunk[:cut]
            tail = chunk[cut:]
        if tail:
            yield tail

    def chunks(self) -> Iterator[bytes]:
        """The text in pieces of about 1 MB that end anywhere, for formats without lines. CR and CR LF become LF."""
        first = True
        while chunk := self._read():
            if first:
                chunk = self._checked_start(chunk)
                first = False
            if b"\0" in chunk:
                raise self._not_text("this is a binary file, not a text file")
            yield self._with_line_feeds(chunk)
        if self._held_return:
            yield b"\n"
        self.file.require_unchanged(self._raw)
        if self._counted:
            self.progress.file_done(self.file)

    def _with_line_feeds(self, chunk: bytes) -> bytes:
        """The chunk with LF for CR and CR LF; a final CR waits for the next chunk, which may begin with its LF."""
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
        except EOFError:
            raise FileFormatError(
                self.path, "the gzip data are truncated", hint="Download or copy the file again."
            ) from None
        except (zlib.error, gzip.BadGzipFile) as error:
            raise FileFormatError(
                self.path, f"the gzip data are corrupt ({error})", hint="Download or copy the file again."
            ) from None
        except OSError as error:
            reason = f"it cannot be read ({error.strerror or error})"
            raise FileFormatError(self.path, reason, hint="Check the disk, or copy the file again.") from None
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
                self._stream = cast(IO[bytes], gzip.GzipFile(fileobj=_CheckedReads(self._raw, self.check)))
        return self._stream

    def _checked_start(self, chunk: bytes) -> bytes:
        if chunk.startswith(_LFS_POINTER):
            raise FileFormatError(self.path, "this is a Git LFS pointer, not the file", hint="Run git lfs pull.")
        if chunk.startswith(_UTF16_MARKS):
            raise FileFormatError(self.path, "the text is UTF-16", hint="Save it as UTF-8 or ASCII.")
        return chunk.removeprefix(_UTF8_MARK)

    def _not_text(self, reason: str) -> FileFormatError:
        return FileFormatError(self.path, reason, hint="Unpack archives first; gzip files can be read directly.")


class _CheckedReads(io.RawIOBase):
    """Checks for cancellation at every read: a gzip file may hold millions of empty members, or an endless name."""

    def __init__(self, raw: BinaryIO, check: Callable[[], None]):
        self._raw, self._check = raw, check

    def read(self, size: int = -1, /) -> bytes:
        self._check()
        return self._raw.read(size)
