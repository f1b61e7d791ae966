"""Images of Pillow from pixels, and as PNG."""

from __future__ import annotations

import io

from PIL import Image

from solvers.system.array_types import UInt32s

_MOST_BYTES = 400_000  # of a PNG in true colours; larger ones get a palette
_MOST_OF_CELL = 200_000  # of one in a cell; larger ones get half the pixels of a side


def image_of(argb: UInt32s) -> Image.Image:
    """An image in RGBA of (h, w) premultiplied ARGB."""
    height, width = argb.shape
    return Image.frombytes("RGBA", (width, height), argb.tobytes(), "raw", "BGRa")


def png_of(image: Image.Image) -> bytes:
    """The image as PNG; a large one with 256 colours."""
    data = _encoded(image)
    if len(data) <= _MOST_BYTES:
        return data
    return small_png_of(image)


def cell_png_of(image: Image.Image) -> bytes:
    """The image as PNG for a cell, of which a notebook has many."""
    data = png_of(image)
    if len(data) <= _MOST_OF_CELL:
        return data
    half = image.resize((image.width // 2, image.height // 2), Image.Resampling.LANCZOS)
    return small_png_of(half)


def small_png_of(image: Image.Image) -> bytes:
    """The image as PNG with 256 colours."""
    return _encoded(image.quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE))


def _encoded(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()
