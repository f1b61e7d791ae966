"""Mutation of graph files: bytes, numbers, words, lines, line ends, markup and members of archives.

The same random numbers give the same file.
"""

from __future__ import annotations

import gzip
import io
import random
import re
import zipfile
import zlib
from collections.abc import Callable, Sequence

_BYTES = b"\n\r\t ,.-+eE0199apsvc#%\x00\x0b\x0c\x1b\xff\xef\xbb\xbf\x1f\x8b"
_NUMBERS = (
    b"0",
    b"-0",
    b"1",
    b"-1",
    b"0.5",
    b"1e3",
    b"1E-5",
    b".",
    b"1.",
    b"+7",
    b"1e",
    b"nan",
    b"inf",
    b"-Infinity",
    b"1e308",
    b"1.7e308",
    b"-1.7e308",
    b"1e400",
    b"5e-324",
    b"1e-400",
    b"2147483647",
    b"2147483648",
    b"-2147483649",
    b"9007199254740992",
    b"9007199254740993",
    b"9223372036854775807",
    b"9223372036854775808",
    b"-9223372036854775808",
    b"18446744073709551616",
    b"999999999999999999",
    b"1000000000000000000",
    b"0x10",
    b"1_000",
    b"1e100",
    b"1e101",
    b"9" * 25,
    b"0" * 30 + b"3",
    b"9" * 5_000,
    b"0." + b"3" * 5_000,
    b"1e" + b"9" * 30,
)
_WORDS = (
    *rb"""null true [] {} "" " ' [ ] n/a 1,5 -1 \x &#x1b;""".split(),
    b"1 234.5",
    b"\xc3\xa9",
    b"\xe2\x80\xae",
    b"9" * 400,
    b"x" * 20_000,
    b"[" * 3_000,
    b"\x1b[2J" * 50,
    b"&amp;" * 500,
)
_VALUES = (
    *(
        b"-5 0 1e999 nan true dynamic undirected mutual static date integer long boolean "
        b"liststring string"
    ).split(),
    *b"node edge all a 1 k 2012-01-01".split(),
    b"",
    b"x" * 5_000,
    b"9" * 30,
)
_NAMES = (
    b"id for key type attr.type attr.name mode timeformat class start end pid defaultedgetype "
    b"edgedefault source "
    b"target ref lat lon k v xmlns value title"
).split()
_ELEMENTS = (
    *(
        b"<graph> </graph> <default/> <data/> <attvalues/> <node/> <edge/> <nodes/> <parents/> "
        b"<way/> <nd/>"
    ).split(),
    *b"<tag/> <key/> <attribute/> <viz:size/> <hyperedge/>".split(),
    b'<data key="k"/>',
    b'<relation id="-1"/>',
    b'<spells><spell start="1"/></spells>',
    b'<slices><slice start="1" end="2"/></slices>',
    b'<y:ShapeNode xmlns:y="http://www.yworks.com/xml/graphml"/>',
    b'<viz:position xmlns:viz="http://www.gexf.net/1.2draft/viz" x="a"/>',
)
_SHAPED = b"{'descr': '%b', 'fortran_order': False, 'shape': (%b), }"
_HEADERS = (
    *(
        _SHAPED % (kind, b"2,")
        for kind in b"|O <m8[s] <c16 |V8 <U9999999999 |b1 >i4 <f2 <f16 |S4 <q".split()
    ),
    *(_SHAPED % (b"<i8", shape) for shape in b"-2, 10000000000000, 2L, 2,1 2.5,".split()),
    _SHAPED % (b"<i8", b""),
    b"{'descr': '<i8', 'fortran_order': False, 'shape': (2, ",
    b"{'descr': [('a', '<i8')], 'shape': (2,), }",
    b"\n \t\n  (",
    b"{" * 1_000,
    b"'" * 3,
    b"\xff\xfe",
    b"x\\\n",
    b"1if 1else",
    b"-" * 2_000 + b"1",
)
_LINES = (
    b"c",
    b"# Nodes: 3 Edges: 2",
    b"# Nodes: 999999999999999999 Edges: 1",
    b"c coordinates: plane",
    b"% note",
    b"c coordinates: millionths of a degree",
    b"p sp 3 2",
    b"p tw 3 2",
    b"p aux sp co 3",
    b"sp min 3 2",
    b"p sp 999999999999 1",
    b"from,to,weight",
    b"3",
    b"3 2",
    b"0 0 0",
    b"0 1",
    b"1 2 3",
    b"a 1 2 3",
    b"v 1 0 0",
    b"",
    b" , \t",
    b"# Undirected graph",
    b"\xef\xbb\xbf1 2",
    b"c\x1b[31m",
)
_RUNS = (
    b"\n",
    b"\r",
    b" ",
    b"c\n",
    b"# x\n",
    b"p sp 3 2\n",
    b"1 2 3\n",
    b"a 1 2 3\n",
    b"\r\n",
    b",",
)
_MOST_BYTES = 200_000

Mutation = Callable[[bytes, Sequence[bytes], random.Random], bytes]


def mutated(content: bytes, others: Sequence[bytes], dice: random.Random) -> bytes:
    """``content`` after some random changes, mostly one; ``others`` are files from
    which lines may come.
    """
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
    return content.replace(
        b"\n", dice.choice((b"\r", b"\r\n", b"\n\r", b"\n\n", b" ")), dice.choice((-1, 1, 2))
    )


def _insert_run(content: bytes, others: Sequence[bytes], dice: random.Random) -> bytes:
    run = dice.choice(_RUNS)
    at = dice.choice([0, len(content), *(found.end() for found in re.finditer(rb"\n", content))])
    return content[:at] + run * dice.choice((3, 100, 20_000)) + content[at:]


def _change_word(content: bytes, others: Sequence[bytes], dice: random.Random) -> bytes:
    words = list(re.finditer(rb"[^\s,:;<>=\"/]+", content))
    if not words:
        return content
    word = dice.choice(words)
    return content[: word.start()] + dice.choice(_WORDS) + content[word.end() :]


def _change_markup(content: bytes, others: Sequence[bytes], dice: random.Random) -> bytes:
    """Change attributes and elements of XML; other files are changed as words."""
    attributes = list(re.finditer(rb'\b([\w.:]{1,30})="([^"]{0,200})"', content))
    tags = list(re.finditer(rb"<[^<>]{1,200}>", content))
    if not attributes or not tags:
        return _change_word(content, others, dice)
    attribute, tag, other = dice.choice(attributes), dice.choice(tags), dice.choice(tags)
    cuts = {
        "value": (attribute.start(2), attribute.end(2), dice.choice(_VALUES)),
        "name": (attribute.start(1), attribute.end(1), dice.choice(_NAMES)),
        "no attribute": (attribute.start(), attribute.end(), b""),
        "new attribute": (
            attribute.start(),
            attribute.start(),
            dice.choice(_NAMES) + b'="' + dice.choice(_VALUES) + b'" ',
        ),
        "no tag": (tag.start(), tag.end(), b""),
        "twice": (tag.start(), tag.start(), tag[0]),
        "other tag": (tag.start(), tag.end(), other[0]),
        "new element": (tag.start(), tag.start(), dice.choice(_ELEMENTS)),
    }
    begin, end, new = cuts[dice.choice(list(cuts))]
    return content[:begin] + new + content[end:]


def _change_archive(content: bytes, others: Sequence[bytes], dice: random.Random) -> bytes:
    """Change an array within an archive, whose checksums are right again; other files
    are changed as markup.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
    except (
        zipfile.BadZipFile,
        ValueError,
        OSError,
        NotImplementedError,
        RuntimeError,
        zlib.error,
        EOFError,
    ):
        return _change_markup(content, others, dice)
    if not members:
        return content
    name = dice.choice(list(members))
    array = members[name]
    match dice.randrange(5):
        case 0:
            header = dice.choice(_HEADERS)
            array = array[:8] + len(header).to_bytes(2, "little") + header + array[-16:]
        case 1:
            array = _change_word(array[:128], others, dice)[:128].ljust(128) + array[128:]
        case 2:
            array = _change_bytes(array[:128], others, dice) + array[128:]
        case 3:
            array = array[:128] + _change_bytes(array[128:], others, dice)
        case _:
            array = array * dice.choice((0, 2))
    packing = dice.choice(
        (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    )
    with zipfile.ZipFile(stream := io.BytesIO(), "w", packing) as archive:
        for member, kept in (members | {name: array}).items():
            archive.writestr(zipfile.ZipInfo(member), kept)
    return stream.getvalue()


_MUTATIONS: tuple[Mutation, ...] = (
    _change_bytes,
    _change_bytes,
    _change_number,
    _change_number,
    _change_lines,
    _change_lines,
    _change_line_ends,
    _insert_run,
    _change_word,
    _change_archive,
    _change_archive,
)
