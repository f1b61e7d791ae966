"""What an HTML file of ours contains so that it needs nothing else: the typeface, data as text,
and hashes by which its policy names its code.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache

from solvers.system.files import RESOURCES


def source_hash(text: str) -> str:
    """How a policy names a script or style that a page contains, so that it allows no other."""
    return f"'sha256-{base64_of(hashlib.sha256(text.encode()).digest())}'"


@cache
def font_faces() -> str:
    """Style rules that contain the typeface, without what pages need least: 40 kB."""
    rules = []
    for name, weight in (("Regular", 400), ("Bold", 700)):
        data = base64_of((RESOURCES / "fonts" / f"TautpathSans-{name}.woff2").read_bytes())
        place = f'url(data:font/woff2;base64,{data}) format("woff2")'
        rules.append(
            f'@font-face {{ font-family: "Tautpath Sans"; font-weight: {weight}; src: {place}; }}\n'
        )
    return "".join(rules)


def base64_of(data: bytes) -> str:
    """Bytes as text that has no character with a meaning in HTML."""
    return base64.b64encode(data).decode()
