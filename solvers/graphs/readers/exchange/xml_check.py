"""What XML text may not contain before a tree is made of it: entities, which expand without limit, and deep nesting.

The parser of this check makes no tree, so that a harmful file costs no memory.
"""

from __future__ import annotations

from typing import Any, NoReturn
from xml.parsers import expat

from solvers.errors import FileFormatError
from solvers.graphs.readers.input_file import InputFile
from solvers.graphs.readers.progress import ReadingProgress

_DEEPEST = 200  # elements in one another; graph files have fewer than ten
_PIECE = 2**20


def require_plain_xml(file: InputFile, text: bytes, progress: ReadingProgress) -> None:
    """Refuse XML text that is not well formed, defines entities or nests elements without need.

    Raises
    ------
    FileFormatError
        Names the line.
    """
    parser = expat.ParserCreate()
    depth = 0

    def refuse(reason: str, hint: str) -> NoReturn:
        raise FileFormatError(file.path, reason, line=parser.CurrentLineNumber, hint=hint)

    def declared(*_: Any) -> None:
        refuse("it defines XML entities, which can expand without limit", "Replace them by their text.")

    def started(*_: Any) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            refuse(f"its elements are nested more than {_DEEPEST} deep", "No graph needs that.")

    def ended(_: str) -> None:
        nonlocal depth
        depth -= 1

    parser.EntityDeclHandler = declared
    parser.StartElementHandler = started
    parser.EndElementHandler = ended
    try:
        for begin in range(0, len(text), _PIECE):
            parser.Parse(text[begin : begin + _PIECE], False)
            progress.check()
        parser.Parse(b"", True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        line = getattr(error, "lineno", 1)
        code = getattr(error, "code", None)
        reason = f"the XML is not well formed ({str(error) if code is None else expat.ErrorString(code)})"
        raise FileFormatError(file.path, reason, line=line, hint="The file may be truncated.") from None
