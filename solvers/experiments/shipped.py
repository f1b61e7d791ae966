"""The experiments that come with the program, one for every figure and table of the papers."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import resources
from solvers.errors import UnknownName
from solvers.experiments.experiment import Experiment
from solvers.experiments.reading import read_experiment

_ENDING = ".toml"


@cache
def shipped() -> tuple[Experiment, ...]:
    """All of them, in order of their ids."""
    return tuple(read_experiment(path) for path in _files())


def find_experiment(name: str) -> Experiment:
    """A shipped experiment by its id, or one of a file.

    Raises
    ------
    UnknownName
        If it is neither; carries the nearest ids.
    FileFormatError
        As `read_experiment`.
    """
    path = Path(name)
    known = {file.stem: file for file in _files()}
    if name in known:
        return read_experiment(known[name])
    if path.suffix == _ENDING or path.is_file():
        return read_experiment(path)
    raise UnknownName("experiment", name, known)


def _files() -> tuple[Path, ...]:
    return tuple(sorted((resources.FOLDER / "experiments").glob(f"*{_ENDING}")))
