"""The tree stays as small as it was made, and the walks through it lead along files that exist."""

from __future__ import annotations

from tests.tree_size import PACKAGES, size_of, walks

MOST_MODULES, MOST_LINES, MOST_WITH_ONE_IMPORTER = 540, 112_000, 120


def test_the_program_has_not_outgrown_its_limits():
    sizes = [size_of(package) for package in PACKAGES]
    assert sum(size.modules for size in sizes) <= MOST_MODULES
    assert sum(size.lines for size in sizes) <= MOST_LINES
    assert sum(size.one_importer for size in sizes) <= MOST_WITH_ONE_IMPORTER


def test_walks_name_files_that_exist_once_each():
    for name, files in walks().items():
        missing = [str(file) for file in files if not file.is_file()]
        assert not missing, f"{name}: {missing}"
        assert len(set(files)) == len(files), name
