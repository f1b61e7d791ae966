"""Numbers for people: three significant digits, the unit that suits, thousands apart."""

from __future__ import annotations

import math
import re

import pytest

import solvers.text as text_module
from solvers.cli import COMMANDS
from solvers.text import (
    format_bytes,
    format_count,
    format_distance,
    format_duration,
    format_percent,
    format_ratio,
    format_value,
    grouped,
    plural,
    printable,
    three_digits,
    ungrouped,
    without_groups,
)
from tests.golden import FOLDER as GOLDEN


@pytest.mark.parametrize(
    ("ms", "words"),
    [
        (0, "0 ms"),
        (0.00064, "640 ns"),
        (0.0064, "6.40 µs"),
        (0.9994, "999 µs"),
        (0.9996, "1.00 ms"),  # never "1000 µs"
        (61.23, "61.2 ms"),
        (999.7, "1.00 s"),
        (1140, "1.14 s"),
        (119_900, "120 s"),
        (1_503_000, "25 min 3 s"),
        (3_599_600, "60 min 0 s"),
        (11_100_000, "3 h 5 min"),
    ],
)
def test_duration_takes_the_unit_that_suits(ms, words):
    assert format_duration(ms) == words


def test_values_of_parameters_are_grouped_where_they_are_integers():
    assert [format_value(v) for v in (16384, 0.5, True, "csr")] == [
        "16\u202f384",
        "0.5",
        "True",
        "csr",
    ]
    assert ungrouped("n 16\u202f384, k 3") == "n 16384, k 3"


def test_negative_numbers_have_a_minus_sign_for_people_and_a_hyphen_for_programs():
    shown = (
        format_count(-3),
        grouped(-1e-9, "g"),
        three_digits(-2.5),
        format_distance(-150, "m"),
        format_value(-0.5),
    )
    assert shown == ("−3", "−1e−09", "−2.50", "−150 m", "−0.5")
    assert (format_percent(-0.2), format_bytes(-1200), three_digits(-math.inf)) == (
        "−20 %",
        "−1.2 kB",
        "−inf",
    )
    assert ungrouped("d −1\u202f200") == "d -1200"
    assert int(without_groups("−1\u202f200")) == -1200


# what was asked, typed and named
_FILES = re.compile(r"(^\$ .*|cannot be -[\d.]+|[\w.]+-[\w.-]+)", re.MULTILINE)
_BAD = {
    "a comma between thousands": re.compile(r"\d,\d{3}\b"),
    "a hyphen for a minus sign": re.compile(r"(?<![\w\]\u202f-])-\d"),
    "a hyphen in a range": re.compile(r"\d -+ \d"),
    "a range without spaces": re.compile(r"\d–\d"),
    "no space before a unit": re.compile(r"\d(?:%|ms|µs|ns|kB|MB|GB)(?!\w)"),
}


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.txt")), ids=lambda path: path.stem)
def test_all_numbers_of_golden_texts_follow_one_rule(path):
    text = _FILES.sub("", path.read_text("utf-8"))
    for fault, pattern in _BAD.items():
        # as programs write them
        if (path.stem in COMMANDS or path.stem.startswith("files")) and "minus" in fault:
            continue
        assert [
            text[found.start() - 30 : found.end() + 9] for found in pattern.finditer(text)
        ] == [], fault


def test_counts_have_their_thousands_apart():
    assert format_count(1014331) == "1\u202f014\u202f331"
    assert format_count(-1200) == "−1\u202f200"


@pytest.mark.parametrize(
    ("ratio", "words"),
    [
        (1, "1.00×"),
        (0.25, "0.250×"),
        (0.043, "1/23.3"),
        (2.314, "2.31×"),
        (9.999, "10.0×"),
        (1236, "1\u202f240×"),
    ],
)
def test_ratio_has_three_digits(ratio, words):
    assert format_ratio(ratio) == words


def test_shares_are_whole_per_cents():
    assert [format_percent(share) for share in (0, 0.254, 1.5)] == ["0 %", "25 %", "150 %"]


def test_distance_says_unit_and_unreachable():
    assert format_distance(1014331, "m") == "1\u202f010 km (1\u202f014\u202f331 m)"
    assert format_distance(495306, "dm") == "49.5 km (495\u202f306 dm)"
    assert format_distance(250, "m") == "250 m"
    assert format_distance(14.2, "km") == "14.2 km"
    assert format_distance(14.25, "km") == "14.25 km"
    assert format_distance(14.25, "km", exact=False) == "14.2 km"
    assert format_distance(0, "dm") == "0 m"
    assert format_distance(0.3125) == "0.3125"
    assert format_distance(math.inf, "m") == "unreachable"


def test_plural_counts_its_noun():
    assert plural(1, "arc") == "1 arc"
    assert plural(0, "arc") == "0 arcs"
    assert plural(2345, "vertex", "vertices") == "2\u202f345 vertices"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0 s"),
        (12.4, "12.4 s"),
        (59.9, "59.9 s"),
        (60.0, "1 min"),
        (1503.0, "25 min 3 s"),
        (3600.0, "1 h"),
        (11_100.0, "3 h 5 min"),
        (-75.0, "−1 min 15 s"),
    ],
)
def test_travel_times(seconds: float, text: str) -> None:
    assert text_module.format_travel_time(seconds) == text


def test_tenths_are_shown_in_seconds_and_metres() -> None:
    assert (
        format_distance(15_030, "0.1 s")
        == format_distance(15_030, "ds")
        == format_distance(1503.0, "s")
    )
    assert format_distance(1503, "s") == "25 min 3 s"
    assert format_distance(71_567, "0.1 m") == "7.16 km (7\u202f156.7 m)"
    assert format_distance(math.inf, "0.1 s") == "unreachable"


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1 kB"),
        (999_600, "1 MB"),
        (5_400_000_000, "5.4 GB"),
        (7.3e13, "73 TB"),
    ],
)
def test_bytes_for_people(count, words):
    assert format_bytes(count) == words


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Zürich “1 2”…", "Zürich “1 2”…"),
        ("a\tb\nc", "a b\\x0ac"),
        ("\x1b[31m\x07\x7f\x9b", "\\x1b[31m\\x07\\x7f\\x9b"),
        ("caf\udce9", "caf\\xe9"),
        ("\ud800\u202e\U000e0001", "\\ud800\\u202e\\U000e0001"),
    ],
)
def test_what_a_terminal_would_obey_or_refuse_is_escaped(text, shown):
    assert printable(text) == shown
    assert printable(shown) == shown


def test_a_template_is_filled_in_with_more_specifications_than_those_of_format():
    values = {
        "name": "a\x1b" + "b" * 100,
        "size": 5_400_000,
        "arcs": 12_345,
        "share": 0.5,
        "log": "\nfirst\nsecond",
    }
    template = "{name:quoted} {size:bytes} {arcs:count} {share:.2f} {log:line} {share:value}"
    name, *others = text_module.filled_in(template, values).split(" ")
    assert len(name) == 80
    assert " ".join(others) == "5.4 MB 12\u202f345 0.50 first 0.5"
