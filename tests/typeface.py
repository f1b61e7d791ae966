"""The typeface: ``python -m tests.typeface INTER MONO`` writes ``resources/fonts``;
needs fonttools and brotli.

INTER and MONO are folders with the WOFF2 files of Inter 4.1 and JetBrains Mono 2.242.
The fonts get names of their own, because Qt mixes them with other versions of the same
family that a machine has. Tabular figures become the usual ones. What the program does
not need is left out: scripts besides Latin, Greek and Cyrillic, hints, ligatures. Of
these fonts, the WOFF2 files have the Latin letters and the signs that HTML files use,
since every such file carries them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

FOLDER = Path(__file__).resolve().parents[1] / "resources" / "fonts"
_FACES = {
    "Inter": ("Tautpath Sans", ("Regular", "SemiBold", "Bold")),
    "JetBrainsMono": ("Tautpath Mono", ("Regular", "SemiBold")),
}
_BLOCKS = (
    (0x20, 0x24F),
    (0x259, 0x259),
    (0x300, 0x52F),
    (0x1E00, 0x1EFF),
    (0x2000, 0x2027),
    (0x202F, 0x205F),
    (0x2070, 0x23FF),
    (0x2500, 0x25FF),
    (0x2713, 0x2713),
    (0x2717, 0x2717),
    (0xFFFD, 0xFFFD),
)
_PAGE_BLOCKS = (
    (0x20, 0x17F),
    (0x2009, 0x203A),
    (0x221E, 0x221E),
    (0x2190, 0x2193),
    (0x2212, 0x2212),
    (0x2248, 0x2265),
)
_FAMILY, _FULL, _POSTSCRIPT, _TYPOGRAPHIC_FAMILY = 1, 4, 6, 16  # of the OpenType table "name"
_UNIQUE = 3


def main() -> None:
    for source, folder in zip(_FACES, sys.argv[1:], strict=True):
        family, weights = _FACES[source]
        for weight in weights:
            font = TTFont(Path(folder) / f"{source}-{weight}.woff2")
            _set_tabular_figures(font)
            _subset(font, _BLOCKS)
            _rename(font, family, weight)
            font.flavor = None
            font.save(FOLDER / f"{family.replace(' ', '')}-{weight}.ttf")
    write_page_fonts()


def write_page_fonts() -> None:
    """Write the fonts of pages from those of the program."""
    for weight in ("Regular", "Bold"):
        font = TTFont(FOLDER / f"TautpathSans-{weight}.ttf")
        _subset(font, _PAGE_BLOCKS)
        font.flavor = "woff2"
        font.save(FOLDER / f"TautpathSans-{weight}.woff2")


def _set_tabular_figures(font: TTFont) -> None:
    for table in font["cmap"].tables:
        for code in range(ord("0"), ord("9") + 1):
            tabular = f"{table.cmap.get(code)}.tf"
            if tabular in font.getGlyphSet():
                table.cmap[code] = tabular


def _subset(font: TTFont, blocks: Iterable[tuple[int, int]]) -> None:
    options = Options(hinting=False, notdef_outline=True, name_IDs=["*"])
    options.layout_features = ["kern", "mark", "mkmk", "ccmp", "locl"]
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=[code for first, last in blocks for code in range(first, last + 1)])
    subsetter.subset(font)


def _rename(font: TTFont, family: str, weight: str) -> None:
    names = font["name"]
    styled = family if weight in ("Regular", "Bold") else f"{family} {weight}"
    postscript = f"{family.replace(' ', '')}-{weight}"
    texts = {
        _FAMILY: styled,
        _UNIQUE: postscript,
        _FULL: f"{family} {weight}",
        _POSTSCRIPT: postscript,
        _TYPOGRAPHIC_FAMILY: family,
    }
    for record in names.names:
        if record.nameID in texts:
            record.string = texts[record.nameID]


if __name__ == "__main__":
    main()
