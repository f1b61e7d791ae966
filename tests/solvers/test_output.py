"""What the command line does where its output cannot be written, and with names that a
terminal would act on.

Tests of the streams start processes, since the streams are those of the process.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from solvers import cli
from solvers.commands.console import encodable, shown
from solvers.errors import FileNotWritten
from solvers.graphs.writers import write_dimacs
from tests.faults import small_disk
from tests.quick import first_quick
from tests.solvers.fakes import diamond

ROOT = Path(__file__).resolve().parents[2]
KEPT = "tautpath: The run is kept: "

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="/dev/full and the shell's redirections"
)


@pytest.fixture
def graph(tmp_path):
    path = tmp_path / "diamond.gr"
    write_dimacs(diamond(), path)
    return path


def tautpath(*arguments, shell="", **environment):
    """Run the program; ``shell`` is what follows its arguments on the shell's line."""
    command = ["bash", "-c", f'"$@" {shell}', "bash", sys.executable, ROOT / "main.py", *arguments]
    given = os.environ | environment
    return subprocess.run(command, env=given, capture_output=True, timeout=120, check=False)


def solve(graph, *more):
    return ("solve", graph, "--variants", "dijkstra-heap", "--source", "1", "--trials", "1", *more)


def one_line(done):
    return is_one_line(done.stderr.decode())


def is_one_line(text):
    """Whether there is one sentence, below the one that tells of a kept run."""
    lines = [line for line in text.splitlines() if not line.startswith(KEPT)]
    return len(lines) == 1 and lines[0].startswith("tautpath: ") and text.endswith("\n")


def in_one_process(*commands, **environment):
    """Run several command lines one after the other; their statuses are the last line on stderr."""
    program = (
        "import json, sys, main; print(*(main.main(c) for c in json.loads(sys.argv[1])), "
        "file=sys.stderr)"
    )
    return subprocess.run(
        [sys.executable, "-c", program, json.dumps(commands, default=os.fspath)],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "shell", "words"),
    first_quick(
        [
            (("variants",), ">/dev/full", b"the disk is full"),
            (("--help",), ">&-", b"it is closed"),
            (("variants",), ">&-", b"it is closed"),
            (("variants", "--json"), ">/dev/full", b"the disk is full"),
        ],
        2,
    ),
)
def test_stdout_that_cannot_be_written_is_one_sentence(arguments, shell, words):
    done = tautpath(*arguments, shell=shell)
    assert (done.returncode, done.stderr) == (
        2,
        b"tautpath: Cannot write standard output: " + words + b".\n",
    )


def test_files_are_written_although_stdout_is_full(graph, tmp_path):
    done = tautpath(
        *solve(graph, "--csv", tmp_path / "csv", "--distances", tmp_path / "d.npy"),
        shell=">/dev/full",
    )
    assert done.returncode == 2
    assert one_line(done)
    assert sorted(os.listdir(tmp_path / "csv")) == ["summary.csv", "trials.csv"]
    assert (tmp_path / "d.npy").stat().st_size > 0


def test_files_are_written_although_the_reader_of_stdout_has_gone(graph, tmp_path):
    done = tautpath(*solve(graph, "--csv", tmp_path / "csv"), shell="| true; exit ${PIPESTATUS[0]}")
    assert (done.returncode, done.stderr) == (0, b"")
    assert sorted(os.listdir(tmp_path / "csv")) == ["summary.csv", "trials.csv"]


@pytest.mark.parametrize(
    ("shell", "file", "status"),
    first_quick(
        [("2>/dev/full", "nowhere.gr", 2), ("2>&-", None, 0), ("2>&-", "nowhere.gr", 2)], 2
    ),
)
def test_stderr_that_is_closed_or_full_changes_nothing_else(graph, shell, file, status):
    done = tautpath("info", file or graph, shell=shell)
    assert (done.returncode, bool(done.stdout)) == (status, status == 0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("generate", "grid", "-o", "/dev/full"), "Cannot write /dev/full: the disk is full."),
        (("--distances", "/dev/full"), "Cannot write /dev/full: the disk is full."),
        (("--csv", "/dev/full"), "Cannot write /dev/full: /dev/full is not a folder."),
        (("--csv", "/proc/below"), "Cannot write /proc/below: "),
    ],
)
def test_an_output_that_cannot_be_written_is_one_sentence(graph, arguments, words, capsys):
    chosen = arguments if arguments[0] == "generate" else solve(graph, *arguments)
    assert cli.main(list(map(str, chosen))) == 2
    err = capsys.readouterr().err
    assert is_one_line(err), err
    assert words in err
    assert KEPT in err or "--distances" not in arguments


@pytest.mark.parametrize("name", ["graph.gr", "graph.gr.gz"])
def test_a_full_disk_is_one_sentence_and_leaves_nothing(tmp_path, name, capsys):
    with small_disk(tmp_path / "disk", 1 << 14) as disk:
        assert (
            cli.main(
                ["generate", "grid", "--rows", "100", "--columns", "100", "-o", str(disk / name)]
            )
            == 2
        )
        assert os.listdir(disk) == []
    err = capsys.readouterr().err
    assert is_one_line(err), err
    assert "the disk is full" in err


def test_tables_on_a_full_disk_are_one_sentence_and_leave_no_empty_file(graph, tmp_path, capsys):
    with small_disk(tmp_path / "disk", 1 << 13) as disk:
        (disk / "fill").write_bytes(bytes(1 << 12))
        assert cli.main(list(map(str, solve(graph, "--csv", disk)))) == 2
        assert all(path.stat().st_size for path in disk.iterdir())
    said = capsys.readouterr()
    assert is_one_line(said.err), said.err
    assert "dijkstra-heap" in said.out


@pytest.mark.parametrize("encoding", first_quick(["ascii", "cp1252"]))
def test_an_encoding_without_our_punctuation_gets_simpler_ones(graph, encoding):
    commands = (
        ("--help",),
        ("devices",),
        solve(graph, "--target", "4"),
        ("info", "nöwhere.gr"),
        ("variants", "--json"),
    )
    done = in_one_process(*commands, PYTHONIOENCODING=encoding)
    assert b"Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1] == b"0 0 0 2 0"
    done.stdout.decode(encoding)


def test_a_file_name_that_is_not_utf_8_is_read_and_written_and_a_bad_one_told(tmp_path):
    name = os.fsencode(tmp_path) + b"/caf\xe9\x1b[31m.gr"
    assert tautpath("generate", "grid", "-o", name).returncode == 0
    done = in_one_process(
        ("info", os.fsdecode(name)),
        solve(os.fsdecode(name), "--csv", tmp_path / "csv"),
        solve(os.fsdecode(name), "--picture", "/proc/below.png"),
    )
    *said, statuses = done.stderr.decode().splitlines(keepends=True)
    assert statuses == "0 0 2\n"
    # by main.py, which alone may import the window
    assert is_one_line("".join(said)), said
    assert said[-1].startswith("tautpath: Cannot write /proc/below.png: ")
    assert rb"caf\xe9\x1b[31m" in done.stdout
    assert b"\x1b" not in done.stdout
    with (tmp_path / "csv" / "trials.csv").open(encoding="utf-8") as file:
        assert next(csv.DictReader(file))["graph"] == r"caf\xe9\x1b[31m"


def test_names_with_controls_are_shown_in_errors(capsys):
    assert cli.main(["info", "\x1b]0;title\x07\n\u202egraph.gr"]) == 2
    err = capsys.readouterr().err
    assert is_one_line(err)
    assert "\x1b" not in err
    assert "\u202e" not in err


# -- the text itself
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a\x1b[2Jb", r"a\x1b[2Jb"),
        ("a\nb\tc\rd", r"a\nb\tc\rd"),
        ("a\x9b1mb\x7f", r"a\x9b1mb\x7f"),
        ("a\u202eb\u2066c", r"a\u202eb\u2066c"),
        ("caf\udce9", r"caf\xe9"),
        ("Zürich – “東京” 😀", "Zürich – “東京” 😀"),
    ],
)
def test_what_a_terminal_would_act_on_is_shown(text, escaped):
    assert shown(text) == escaped


class Stream:
    def __init__(self, encoding):
        self.encoding = encoding


def test_every_encoding_takes_every_text():
    text = "“a” – 2× → 東 µs"
    assert encodable(text, Stream("utf-8")) == text
    assert encodable(text, Stream("ascii")) == '"a" - 2x -> \\u6771 us'
    assert encodable("é", Stream("latin-1")) == "é"


# -- what no error should be
# -------------------------------------------------------------------------------------------


def test_an_unexpected_error_is_one_sentence_with_a_report(monkeypatch, capsys, tmp_path):
    def fail(argv, console):
        raise IndexError("vertex 4711 of /home/ada/secret.gr")

    monkeypatch.setattr(cli, "_run", fail)
    monkeypatch.setattr("platformdirs.user_log_path", lambda *_, **__: tmp_path / "logs")
    assert cli.main(["variants"]) == 70
    err = capsys.readouterr().err
    (report,) = (tmp_path / "logs").iterdir()
    assert err.count("\n") == 1
    assert f"Please report it with {report}" in err
    assert "IndexError" in report.read_text("utf-8")
    assert "4711" not in report.read_text("utf-8")


def test_output_lost_is_told_at_the_end_only(capsys):
    from solvers.commands.console import Console

    class Full:
        encoding = "utf-8"

        def isatty(self):
            return False

        def write(self, text):
            raise OSError(28, "No space left on device")

        def flush(self):
            pass

        def fileno(self):
            raise OSError

    console = Console(out=Full())
    console.line("a")
    console.json({"a": 1})
    with pytest.raises(FileNotWritten, match="standard output: the disk is full"):
        console.finish()
