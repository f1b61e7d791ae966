"""The lowest versions of dependencies that `pyproject.toml` allows, as constraints for pip.

``make test-lowest`` installs and tests them: a bound that nobody has tried is a guess. What
has no lower bound, such as llvmlite, is chosen by those that need it.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

_BOUND = re.compile(r"(?P<name>[\w.-]+)(\[.*\])?>=(?P<version>[\d.]+)[^;]*(?P<marker>;.*)?")


def main(extras: str) -> int:
    """Print a line for each dependency of the program and of some extras, which commas
    separate; returns the exit status.
    """
    path = Path(__file__).resolve().parents[1] / "pyproject.toml"
    project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
    optional = project["optional-dependencies"]
    of_extras = (line for name in extras.split(",") for line in optional[name])
    requirements = [*project["dependencies"], *of_extras]
    print("\n".join(lowest(requirements)))
    return 0


def lowest(requirements: Iterable[str]) -> list[str]:
    """Each name with its lowest version, sorted; raises ValueError for two bounds of one."""
    found: dict[str, str] = {}
    for requirement in requirements:
        bound = _BOUND.fullmatch(requirement)
        if bound is None:
            continue
        line = f"{bound['name']}=={bound['version']}{bound['marker'] or ''}"
        if found.setdefault(bound["name"], line) != line:
            raise ValueError(f"{found[bound['name']]} and {line}: one of the bounds is wrong")
    return sorted(found.values())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
