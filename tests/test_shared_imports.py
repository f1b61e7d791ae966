"""Which test modules the workers share out."""

from __future__ import annotations

from pathlib import Path

from tests.shared_imports import modules_below


def test_modules_are_named_as_pytest_names_them(tmp_path: Path) -> None:
    for name in ("tests/b/test_two.py", "tests/test_one.py", "tests/helper.py", "other/test_three.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert list(modules_below(tmp_path, [Path("tests")])) == ["tests.b.test_two", "tests.test_one"]
    assert list(modules_below(tmp_path, [tmp_path / "tests", Path("other/test_three.py::test_it")])) == [
        "tests.b.test_two", "tests.test_one",
    ]  # fmt: skip
    assert list(modules_below(tmp_path / "tests", [tmp_path / "other", Path("absent")])) == []
