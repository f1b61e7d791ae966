"""Names proposed for exported files."""

from __future__ import annotations

import pytest

from gui.export.page import file_name


@pytest.mark.parametrize(
    ("graph", "parts", "suffix", "expected"),
    [
        ("USA-road-d.NY.gr.gz", ("bf-serial",), ".png", "USA-road-d.NY-bf-serial.png"),
        ("wiki-Vote.txt", ("a-vs-b", "film"), ".mp4", "wiki-Vote-a-vs-b-film.mp4"),
        ("grid 20 x 30 / a:b?", ("", "timing"), ".svg", "grid-20-x-30-a-b-timing.svg"),
        ("", (), ".png", "tautline.png"),
        ("../..", (), ".png", "tautline.png"),
        ("Straße", (), ".png", "Straße.png"),
    ],
)  # fmt: skip
def test_a_name_says_what_is_in_the_file(graph: str, parts: tuple[str, ...], suffix: str, expected: str) -> None:
    assert file_name(graph, parts, suffix) == expected


def test_a_name_is_never_too_long_for_a_file_system() -> None:
    assert len(file_name("g" * 400, ("film",), ".gif")) <= 104
