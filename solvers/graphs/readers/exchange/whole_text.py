"""Formats whose libraries take a whole text: the text, read only as far as memory allows what will be made of it."""

from __future__ import annotations

from solvers.errors import FileFormatError, OutOfMemory, printable
from solvers.graphs.readers.input_file import InputFile
from solvers.graphs.readers.progress import ReadingProgress
from solvers.graphs.readers.source import TextSource
from solvers.host import machine

_GZIP_MAGIC = b"\x1f\x8b"


def whole_text(file: InputFile, progress: ReadingProgress, bytes_per_byte: float) -> bytes:
    """The decompressed text of a file, with LF line ends and without a byte order mark.

    Parameters
    ----------
    file : InputFile
    progress : ReadingProgress
    bytes_per_byte : float
        Most memory that reading takes for one byte of text, measured (tests/benchmarks/README.md).

    Raises
    ------
    OutOfMemory
        If the file needs more than is free: before it is read if its size tells, else as soon as the text does.
    FileFormatError
        If it cannot be read, or is no text.
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
        raise OutOfMemory(what, int(needed), free, remedy="As a table of edges or a DIMACS file it needs far less.")


def decoded(file: InputFile, text: bytes) -> str:
    """UTF-8 text.

    Raises
    ------
    FileFormatError
        Names the line of the first byte that is none.
    """
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise FileFormatError(file.path, "the text is not UTF-8", line=line, hint="Save it as UTF-8.") from None
