"""Mutation of graph files: bytes, numbers, lines and line ends; the same random numbers give the same file."""

from __future__ import annotations

import gzip
import random
import re
from collections.abc import Callable, Sequence

_BYTES = b"\n\r\t ,.-+eE0199apsvc#%\x00\x0b\x0c\x1b\xff\xef\xbb\xbf\x1f\x8b"
_NUMBERS = (
    b"0", b"-0", b"1", b"-1", b"0.5", b"1e3", b"1E-5", b".", b"1.", b"+7", b"1e", b"nan", b"inf", b"-Infinity",
    b"1e308", b"1.7e308", b"-1.7e308", b"1e400", b"5e-324", b"1e-400", b"2147483647", b"2147483648", b"-2147483649",
    b"9007199254740992", b"9007199254740993", b"9223372036854775807", b"9223372036854775808", b"-9223372036854775808",
    b"18446744073709551616", b"999999999999999999", b"1000000000000000000", b"0x10", b"1_000", b"1e100", b"1e101",
    b"9" * 25, b"0" * 30 + b"3", b"9" * 5_000, b"0." + b"3" * 5_000, b"1e" + b"9" * 30,
)  # fmt: skip
_LINES = (
    b"c", b"# Nodes: 3 Edges: 2", b"# Nodes: 999999999999999999 Edges: 1", b"c coordinates: plane", b"% note",
    b"c coordinates: millionths of a degree", b"p sp 3 2", b"p tw 3 2", b"p aux sp co 3", b"sp min 3 2",
    b"p sp 999999999999 1", b"from,to,weight", b"3", b"3 2", b"0 0 0", b"0 1", b"1 2 3", b"a 1 2 3", b"v 1 0 0",
    b"", b" , \t", b"# Undirected graph", b"\xef\xbb\xbf1 2", b"c\x1b[31m",
)  # fmt: skip
_RUNS = (b"\n", b"\r", b" ", b"c\n", b"# x\n", b"p sp 3 2\n", b"1 2 3\n", b"a 1 2 3\n", b"\r\n", b",")
_MOST_BYTES = 200_000

Mutation = Callable[[bytes, Sequence[bytes], random.Random], bytes]


def mutated(content: bytes, others: Sequence[bytes], dice: random.Random) -> bytes:
    """``content`` after some random changes, mostly one; ``others`` are files from which lines may come."""
    for _ in range(dice.choice((1, 1, 1, 2, 3, 5))):
        content = dice.choice(_MUTATIONS)(content, others, dice)[:_MOST_BYTES]
    return gzip.compress(content, 1, mtime=0) if dice.random() < 0.03 else content


def _change_bytes(content: bytes, others: Sequence[bytes], dice: random.Random) -> bytes:
    changed = bytearray(content)
    at = dice.randrange(len(changed) + 1)
    match dice.randrange(4):
        case 0:
            changed[at:at] = bytes([dice.choice(_BYTES)])
        case 1:
            del changed[at : at + dice.randint(1, 6)]
        case 2:
            changed[at : at + 1] = bytes([dice.randrange(256)])
        case _:
            del changed[at:]
    return bytes(changed)


def _change_number(content: bytes, others: Sequence[bytes], dice: random.Random) -> bytes:
    words = list(re.finditer(rb"[^\s,]+", content))
    if not words:
        return content
    word = dice.choice(words)
    return content[: word.start()] + dice.choice(_NUMBERS) + content[word.end() :]


def _change_lines(content: bytes, others: Sequence[bytes], dice: random.Random) -> bytes:
    lines = content.split(b"\n")
    at = dice.randrange(len(lines))
    match dice.randrange(5):
        case 0:
            lines.insert(at, dice.choice(_LINES))
        case 1:
            del lines[at]
        case 2:
            lines[at:at] = [lines[at]] * dice.choice((1, 2, 50))
        case 3:
            dice.shuffle(lines)
        case _:
            lines.insert(at, dice.choice(dice.choice(others).split(b"\n")))
    return b"\n".join(lines)


def _change_line_ends(content: bytes, others: Sequence[bytes], dice: random.Random) -> bytes:
    return content.replace(b"\n", dice.choice((b"\r", b"\r\n", b"\n\r", b"\n\n", b" ")), dice.choice((-1, 1, 2)))


def _insert_run(content: bytes, others: Sequence[bytes], dice: random.Random) -> bytes:
    run = dice.choice(_RUNS)
    at = dice.choice([0, len(content), *(found.end() for found in re.finditer(rb"\n", content))])
    return content[:at] + run * dice.choice((3, 100, 20_000)) + content[at:]


_MUTATIONS: tuple[Mutation, ...] = (
    _change_bytes, _change_bytes, _change_number, _change_number, _change_lines, _change_lines, _change_line_ends,
    _insert_run,
)  # fmt: skip
