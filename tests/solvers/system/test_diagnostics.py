"""The crash report has what is needed to find the defect, and nothing of the user's;
the log says what was given up.
"""

from __future__ import annotations

import ast
import logging
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from solvers.system import diagnostics
from solvers.system.diagnostics import (
    LogFile,
    crash_report,
    log_file,
    log_held,
    logged_text,
    logging_to,
    open_log_file,
    tempfile,
    write_crash_report,
)
from solvers.version import __version__

SECRET = "/home/ada/secret-graph.gr"


def caught(raising):
    try:
        raising()
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


def failing_with_secrets():
    try:
        open(SECRET + "/below")  # noqa: SIM115
    except OSError as error:
        raise ValueError(f"vertex 4711 of {SECRET}") from error


def test_it_names_versions_places_and_kinds_of_errors():
    text = crash_report(caught(failing_with_secrets), ["NVIDIA H200"])
    assert f"Tautpath {__version__}" in text
    assert f"Python: {sys.version.split()[0]}" in text
    assert "numpy " in text
    assert "devices: NVIDIA H200" in text
    assert "ValueError\n" in text
    assert "caused by FileNotFoundError (ENOENT)" in text or "caused by NotADirectoryError" in text
    assert "tests.solvers.system.test_diagnostics, line " in text
    assert "in failing_with_secrets" in text


def test_it_has_nothing_of_the_users():
    text = crash_report(caught(failing_with_secrets))
    assert "secret" not in text.replace("failing_with_secrets", "")
    assert "4711" not in text
    assert str(Path.home()) not in text or Path.home() == Path("/")
    assert os.path.dirname(__file__) not in text
    assert sys.prefix not in text


def test_modules_of_the_user_are_not_named():
    names = {"__name__": "ada_private.project"}
    exec("def my_secret_function():\n    raise KeyError('x')", names)
    text = crash_report(caught(names["my_secret_function"]))
    assert "ada_private" not in text
    assert "my_secret_function" not in text
    assert "(other code), line 2" in text


def test_groups_and_circular_contexts_end():
    first, second = ValueError("a"), TypeError("b")
    first.__context__, second.__context__ = second, first
    text = crash_report(ExceptionGroup("of two", [first, second]))
    assert text.count("ValueError") == text.count("TypeError") == 1


def test_it_is_written_into_the_users_logs(tmp_path, monkeypatch):
    monkeypatch.setattr("platformdirs.user_log_path", lambda *_, **__: tmp_path / "logs")
    place = write_crash_report(caught(failing_with_secrets))
    assert place.parent == tmp_path / "logs"
    assert place.read_text("utf-8").startswith("Tautpath ")


@pytest.mark.parametrize("temporary", [".", "file/below"])
def test_where_the_home_cannot_be_written_it_is_a_temporary_file_or_none(
    tmp_path, monkeypatch, temporary
):
    (tmp_path / "file").touch()
    monkeypatch.setattr("platformdirs.user_log_path", lambda *_, **__: tmp_path / "file" / "logs")
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path / temporary))
    written = write_crash_report(ValueError())
    assert (written and written.parent) == (tmp_path if temporary == "." else None)


# -- the log
# --------------------------------------------------------------------------------------

ROOT = Path(__file__).resolve().parents[3]
LOG = logging.getLogger("solvers.made_up")


@pytest.fixture
def logs(tmp_path, monkeypatch):
    """The user's folder of logs."""
    monkeypatch.setattr("platformdirs.user_log_path", lambda *_, **__: tmp_path / "logs")
    return tmp_path / "logs"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_the_log_file_is_read_by_its_owner_only(logs):
    with logging_to(open_log_file(), logging.INFO):
        LOG.info("a decision")
        LOG.debug("a step")
    assert log_file().parent == logs
    assert stat.S_IMODE(log_file().stat().st_mode) == 0o600
    assert "INFO solvers.made_up: a decision" in logged_text()
    assert "a step" not in logged_text()


def test_a_full_log_file_is_kept_once_and_begun_anew(logs, monkeypatch):
    monkeypatch.setattr(diagnostics, "_MOST_LOG_BYTES", 1000)
    with logging_to(open_log_file(), logging.INFO):
        for number in range(100):
            LOG.info("record %d", number)
    earlier = Path(f"{log_file()}.1")
    assert sorted(path.name for path in logs.iterdir()) == sorted([log_file().name, earlier.name])
    assert all(path.stat().st_size < 1200 for path in logs.iterdir())
    if sys.platform != "win32":
        assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in logs.iterdir())
    numbers = [int(line.split()[-1]) for line in (earlier.read_text() + logged_text()).splitlines()]
    assert numbers == list(range(numbers[0], 100))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows renames no open file")
def test_windows_side_by_side_rotate_the_file_once(logs, monkeypatch):
    """The second one finds its file renamed, and goes on in the new one instead of
    renaming that as well.
    """
    monkeypatch.setattr(diagnostics, "_MOST_LOG_BYTES", 1000)
    logs.mkdir()
    first, second = LogFile(log_file()), LogFile(log_file())
    record = LOG.makeRecord(LOG.name, logging.INFO, "", 0, "x" * 1000, (), None)
    first.emit(record)
    first.emit(record)  # renames the file
    second.emit(record)  # whose file is full, too, but under its new name
    assert len(log_file().read_text().splitlines()) == 1
    assert len(Path(f"{log_file()}.1").read_text().splitlines()) == 1
    first.close()
    second.close()


def test_without_a_place_for_it_there_is_no_log(tmp_path, monkeypatch, caplog):
    (tmp_path / "file").touch()
    monkeypatch.setattr("platformdirs.user_log_path", lambda *_, **__: tmp_path / "file" / "logs")
    with logging_to(open_log_file(), logging.INFO):
        LOG.info("nobody keeps this")
    (said,) = (record for record in caplog.records if record.levelno >= logging.WARNING)
    assert str(tmp_path) not in said.getMessage()


def test_nothing_is_written_during_a_timed_trial(logs):
    with logging_to(open_log_file(), logging.DEBUG):
        LOG.info("before")
        with log_held(), log_held():
            LOG.info("within")
            assert "before" in logged_text()
            assert "within" not in logged_text()
        assert "within" in logged_text()


def test_the_library_writes_nothing_by_itself():
    program = "import solvers, logging; logging.getLogger('solvers.system').warning('given up')"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout + done.stderr == ""


_WORDS = re.compile(r"\bexcept:|\b(Base)?Exception\b|\bwarning\b")


@pytest.fixture(scope="module")
def sources():
    """Files of the program that may have what is sought, and their nodes of two kinds."""
    files = [file for package in ("solvers", "gui") for file in (ROOT / package).rglob("*.py")]
    return [
        (file.relative_to(ROOT), node)
        for file in files
        if _WORDS.search(text := file.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, (ast.ExceptHandler, ast.Call))
    ]


def test_every_broad_except_keeps_or_records_the_error(sources):
    """It raises, logs, or does something with the error that it names."""
    silent = []
    for file, node in sources:
        broad = isinstance(node, ast.ExceptHandler) and (
            node.type is None or ast.unparse(node.type) in ("Exception", "BaseException")
        )
        if broad and not any(
            isinstance(inner, ast.Raise)
            or (isinstance(inner, ast.Name) and inner.id in ("log", node.name))
            for statement in node.body
            for inner in ast.walk(statement)
        ):
            silent.append(f"{file}:{node.lineno}")
        if isinstance(node, ast.Call) and ast.unparse(node.func) in (
            "suppress",
            "contextlib.suppress",
        ):
            silent += [
                f"{file}:{node.lineno}"
                for kind in node.args
                if ast.unparse(kind) in ("Exception", "BaseException")
            ]
    assert silent == []


def test_warnings_quote_no_errors_and_no_paths(sources):
    """The texts of errors name files; what is said of them belongs to INFO."""
    quoting = [
        f"{file}:{node.lineno}"
        for file, node in sources
        if isinstance(node, ast.Call)
        and getattr(node.func, "attr", "") == "warning"  # unparsing all calls takes seconds
        and ast.unparse(node.func) == "log.warning"
        and (
            node.keywords
            or any(isinstance(a, ast.Name) and a.id in ("error", "path") for a in node.args)
        )
    ]
    assert quoting == []
