"""Functions for kernels that a text names: signature, comment and body, from the headers in
the kernel's folder and ``portable.h``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from solvers.devices.kernel import PORTABLE

_NAMED = re.compile(r"`(\w+)`")
_COMMENT = re.compile(r"/\*(?:(?!\*/).)*\*/\s*\Z", re.DOTALL)


@dataclass(frozen=True)
class KernelFunction:
    name: str
    file: str  # its name: "relax.h"
    signature: str  # "int offer(GLOBAL dist_t *distance, int head, …)"
    text: str  # comment, signature and body; of one that a macro makes, comment and signature


def functions_named(words: str, folder: Path) -> dict[str, KernelFunction]:
    """The functions among the names that ``words`` has between backticks.

    Headers of ``folder`` are read first, then ``portable.h``; kernels are not, as one may be
    the solution of an exercise.
    """
    files = [*sorted(folder.glob("*.h")), PORTABLE]
    texts = {file.name: file.read_text("utf-8") for file in files}
    found = {}
    for name in dict.fromkeys(_NAMED.findall(words)):
        function = next(_found(name, texts), None)
        if function is not None:
            found[name] = function
    return found


def _found(name: str, texts: dict[str, str]) -> Iterator[KernelFunction]:
    for file, text in texts.items():
        if (
            match := re.search(rf"^DEVICE ([^;{{}}#]*?\b{name}\([^)]*\)) \{{", text, re.M)
        ) is not None:
            comment = _COMMENT.search(text[: match.start()])
            body = text[match.start() : text.index("\n}", match.start()) + 2]
            signature = re.sub(r"\s+", " ", match[1])
            before = "" if comment is None else comment[0].rstrip() + "\n"
            yield KernelFunction(name, file, signature, before + body)
        elif (made := re.search(rf"^(\w+)\({name}, (\w+)\)$", text, re.M)) is not None:
            yield from _by_macro(name, file, text, made[1], made[2])


def _by_macro(
    name: str, file: str, text: str, macro: str, argument: str
) -> Iterator[KernelFunction]:
    """A function that ``macro(name, argument)`` defines."""
    pattern = rf"#define {macro}\((\w+), (\w+)\)[\s\\]*DEVICE ([^{{]*?)\s*\{{"
    if (match := re.search(pattern, text)) is None:
        return
    signature = re.sub(rf"\b{match[1]}\b", name, match[3])
    signature = re.sub(rf"\b{match[2]}\b", argument, signature)
    told = re.search(rf"^ \*   {name}\([^)]*\) +(.+)$", text, re.M)
    comment = f"/* {told[1]} */\n" if told is not None else ""
    yield KernelFunction(name, file, signature, f"{comment}{signature};")
