"""The signatures in numba's caches, and in what those of one function differ.

``python -m tests.compiled [FOLDER]``, after tests that began with empty caches. How long
each function takes is told by `tests.time_table`.
"""

from __future__ import annotations

import pickle
import re
import sys
from pathlib import Path

from numba.core import types

ROOT = Path(__file__).resolve().parents[1]
_FUNCTIONS = 40  # that are listed
_MOST_LETTERS = 72  # of a type

# by cause: a pattern in the text of a type, and what stands for all that match
_CAUSES = (
    ("literal numbers", r"Literal\[int\]\(-?\d+\)", "int64"),
    ("read-only and writable arrays", "readonly ", ""),
    ("layouts of arrays", r"(\dd), [CFA]\)", r"\1)"),
    ("widths of single whole numbers", r"^u?int(8|16|32)$", "int64"),
    ("types of weights", "(u?int|float)(8|16|32|64)", "number"),
)

Signature = tuple[types.Type, ...]


def main(arguments: list[str]) -> None:
    """Print how many signatures there are, and would be without differences of each cause."""
    found = signatures(Path(arguments[0]) if arguments else ROOT)
    texts = {name: [list(map(str, one)) for one in each] for name, each in found.items()}
    print(f"{_count(texts):5} signatures of {len(texts)} functions; without differences in")
    for cause, pattern, same in _CAUSES:
        texts = {
            name: [[re.sub(pattern, same, text) for text in one] for one in each]
            for name, each in texts.items()
        }
        print(f"{_count(texts):5} {cause}")
    for name, each in sorted(found.items(), key=lambda item: -len(item[1]))[:_FUNCTIONS]:
        print(f"{len(each):5} {name}")
        for i, kinds in enumerate(zip(*each, strict=False)):
            if len(different := {str(kind)[:_MOST_LETTERS] for kind in kinds}) > 1:
                print(f"{i:10}: {'; '.join(sorted(different))}")


def signatures(folder: Path) -> dict[str, list[Signature]]:
    """Of each function in the caches below a folder, by its module and name."""
    found: dict[str, list[Signature]] = {}
    for path in sorted(folder.rglob("*.nbi")):
        try:
            with path.open("rb") as file:
                pickle.load(file)  # numba's version
                _, overloads = pickle.loads(file.read())
        except (AttributeError, ImportError):  # of types that have gone, hence stale
            continue
        name = path.relative_to(folder).as_posix().replace("__pycache__/", "").rpartition("-")[0]
        found.setdefault(name, []).extend(key[0] for key in overloads)
    return found


def _count(texts: dict[str, list[list[str]]]) -> int:
    return sum(len({tuple(one) for one in each}) for each in texts.values())


if __name__ == "__main__":
    main(sys.argv[1:])
