"""What commands and dialogs say, kept as text beside this file: one file a command or dialog, to be reviewed as text.

A section begins with ``$ `` and what was asked; below stands what was said. ``pytest -n 0 --rewrite-golden`` writes
what is said now, and the difference is read before it is committed.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

FOLDER = Path(__file__).parent


class Golden:
    """Compares what is said with what is kept, or keeps it.

    Parameters
    ----------
    rewrite : bool
    replaced : mapping
        Texts of this run, such as temporary folders, and what stands for them in the files.
    """

    def __init__(self, rewrite: bool, replaced: Mapping[str, str]):
        self.rewrite, self.replaced = rewrite, replaced

    def check(self, file: str, asked: str, said: str) -> None:
        """Fail unless ``said`` is the section ``asked`` of the file."""
        for text, stands_for_it in self.replaced.items():
            asked, said = asked.replace(text, stands_for_it), said.replace(text, stands_for_it)
        path = FOLDER / f"{file}.txt"
        kept, said = sections(path), said.strip("\n")
        if self.rewrite and kept.get(asked) != said:
            kept[asked] = said
            path.write_text("\n".join(f"$ {name}\n{text}\n" for name, text in kept.items()), encoding="utf-8")
        assert kept.get(asked) == said, f"not as in {path.name}; pytest -n 0 --rewrite-golden keeps it"


def sections(path: Path) -> dict[str, str]:
    """What was said, by what was asked."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    parts = (part.partition("\n") for part in f"\n{text}".split("\n$ ")[1:])
    return {asked: said.strip("\n") for asked, _, said in parts}
