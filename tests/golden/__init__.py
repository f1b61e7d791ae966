"""What commands and dialogs say, kept as text beside this file: one file a command or
dialog, to be reviewed as text.

A section begins with ``$ `` and what was asked; below stands what was said. ``pytest -n
0 --rewrite-golden`` writes what is said now, and the difference is read before it is
committed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path

FOLDER = Path(__file__).parent

# What differs between machines and runs, and what stands for it.
_TIME = r"[\d.]+ (?:µs|ms|s|min|h)"
MEASURED = {
    r"\b[0-9a-f]{64}\b": "SHA-256",
    rf"(?<=read in )( +){_TIME}": r"\1TIME",
    # a variant's first solve
    rf"(?m)^((?:[^\t\n]*\t){{6}}){_TIME}(?=\t.*\t(?:yes|no|not run)\b)": r"\1COLD",
    # a row of an experiment
    rf"(?m)\t{_TIME}\t{_TIME} – {_TIME}(?=\t\d+\t\w+$)": r"\tTIME\tTIME – TIME",
    rf"\b([Tt]ook|about) {_TIME}(?: \d+ \w+)?(?=[ .,;:)\t\n]|$)": r"\1 TIME",
    r"\b(?:20\d\d-\d\d-\d\d|\d+ \w{3} 20\d\d,) \d\d:\d\d\b": "WHEN",
    r"(?<=\(choose from )[^)]*": "…",  # by argparse, whose quotes differ between versions
}


class Golden:
    """Compares what is said with what is kept, or keeps it.

    Parameters
    ----------
    rewrite : bool
    replaced : mapping
        Texts of this run, such as temporary folders, and what stands for them in the
        files.
    """

    def __init__(self, rewrite: bool, replaced: Mapping[str, str]):
        self.rewrite, self.replaced = rewrite, replaced

    def check(self, file: str, asked: str, said: str, *, measured: bool = False) -> None:
        """Fail unless ``said``, apart from what was ``measured`` just now, is the
        section ``asked`` of the file.
        """
        for text, stands_for_it in self.replaced.items():
            asked, said = asked.replace(text, stands_for_it), said.replace(text, stands_for_it)
        for pattern, stands_for_it in MEASURED.items() if measured else ():
            said = re.sub(pattern, stands_for_it, said)
        path = FOLDER / f"{file}.txt"
        kept, said = sections(path), said.strip("\n")
        if self.rewrite and kept.get(asked) != said:
            kept[asked] = said
            _write(path, kept)
        assert kept.get(asked) == said, (
            f"not as in {path.name}; pytest -n 0 --rewrite-golden keeps it"
        )

    def require_no_others(self, file: str, asked: Collection[str]) -> None:
        """Fail if the file has sections that nothing asks for any more."""
        path = FOLDER / f"{file}.txt"
        kept = sections(path)
        if self.rewrite:
            kept = {name: kept[name] for name in asked if name in kept}
            _write(path, kept)
        assert set(kept) <= set(asked), f"{path.name} has sections that no test asks for"


def sections(path: Path) -> dict[str, str]:
    """What was said, by what was asked."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    parts = (part.partition("\n") for part in f"\n{text}".split("\n$ ")[1:])
    return {asked: said.strip("\n") for asked, _, said in parts}


def _write(path: Path, kept: Mapping[str, str]) -> None:
    path.write_text(
        "\n".join(f"$ {name}\n{text}\n" for name, text in kept.items()), encoding="utf-8"
    )
