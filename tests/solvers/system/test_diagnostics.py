"""The crash report has what is needed to find the defect, and nothing of the user's."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from solvers.system.diagnostics import crash_report, tempfile, write_crash_report
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
    assert f"Tautline {__version__}" in text
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
    assert place.read_text("utf-8").startswith("Tautline ")


def test_where_the_home_cannot_be_written_it_is_a_temporary_file(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setattr("platformdirs.user_log_path", lambda *_, **__: tmp_path / "file" / "logs")
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    assert write_crash_report(ValueError()).parent == tmp_path


@pytest.mark.parametrize("folder", ["file/below"])
def test_where_nothing_can_be_written_there_is_none(tmp_path, monkeypatch, folder):
    (tmp_path / "file").touch()
    monkeypatch.setattr("platformdirs.user_log_path", lambda *_, **__: tmp_path / folder)
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path / folder))
    assert write_crash_report(ValueError()) is None
