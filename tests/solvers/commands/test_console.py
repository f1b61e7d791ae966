"""Tables of commands: whole in the width of a terminal, and for programs with tabs and plain numbers."""

from __future__ import annotations

import io

import pytest

from solvers.commands.console import Console
from solvers.text import THIN_SPACE, format_count

HEADER = ("id", "what", "arcs")
ROWS = (("first", "a long sentence about the first one, which is wide", format_count(1014331)), ("b", "", "7"))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_program_reads_cells_between_tabs_and_numbers_without_spaces():
    console = Console(out=io.StringIO())
    console.table(HEADER, ROWS, right="  r")
    console.line(f"{format_count(1014331)} arcs; wrote at 10{THIN_SPACE}PM.gr")
    assert isinstance(console.out, io.StringIO)
    lines = console.out.getvalue().splitlines()
    assert [line.split("\t") for line in lines[:3]] == [list(HEADER), [*ROWS[0][:2], "1014331"], list(ROWS[1])]
    assert lines[3] == f"1014331 arcs; wrote at 10{THIN_SPACE}PM.gr"


def test_a_tab_in_a_name_begins_no_cell():
    console = Console(out=io.StringIO())
    console.table(("graph",), (("a\tb",),))
    assert isinstance(console.out, io.StringIO)
    assert console.out.getvalue() == "graph\na\\tb\n"


@pytest.mark.parametrize("width", [40, 120])
def test_a_table_fits_the_terminal_and_loses_no_word(monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    console = Console(out=Terminal())
    console.table(HEADER, ROWS, right="  r")
    assert isinstance(console.out, Terminal)
    text = console.out.getvalue()
    assert max(map(len, text.splitlines())) <= width
    words = {word for row in (HEADER, *ROWS) for cell in row for word in cell.split()}
    assert set(text.split()) == words
    assert (len(text.splitlines()) == 3) == (width == 120)
