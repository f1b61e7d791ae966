"""Install Tautpath from this folder, and what it needs by the pins and hashes of
``constraints.txt``: ``python .ci/install.py [EXTRA,...]``.

With ``--dependencies``, Tautpath itself is not installed; with ``--extras``, only the
packages of the extras are.

pip takes hashes for all packages of a call or for none, and has none for a folder. So it
is asked first what it would install by the pins, and then given these with their hashes.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PINS = ROOT / "constraints.txt"
PATIENCE = ("--quiet", "--disable-pip-version-check", "--retries", "8", "--timeout", "120")
PIN = re.compile(r"^(?P<name>[\w.-]+)==[^\s\\]+(?:\n|.*?\n(?=\S|\Z))", re.M | re.S)


def main(arguments: list[str]) -> int:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = [name for word in arguments if word[:1] != "-" for name in word.split(",") if name]
    wanted = [line for name in names for line in project["optional-dependencies"][name]]
    if "--extras" not in arguments:
        wanted += project["dependencies"]
    pins = pinned(PINS.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        install(Path(folder), pins, wanted)
    if not {"--extras", "--dependencies"} & set(arguments):
        pip("--no-deps", "--editable", str(ROOT))
    return 0


def pinned(text: str) -> dict[str, str]:
    """The lines of each package, by its normal name: the pin, then its hashes."""
    return {normal(found["name"]): found[0] for found in PIN.finditer(text)}


def install(folder: Path, pins: Mapping[str, str], wanted: Sequence[str]) -> None:
    versions, report = folder / "versions.txt", folder / "report.json"
    versions.write_text("".join(f"{lines.split()[0]}\n" for lines in pins.values()))
    pip("--dry-run", "--report", str(report), "--constraint", str(versions), *wanted)
    found = json.loads(report.read_text(encoding="utf-8"))["install"]
    names = [normal(item["metadata"]["name"]) for item in found]
    hashed = folder / "hashed.txt"
    hashed.write_text("".join(pins[name] for name in names if name in pins))
    if names:
        pip("--no-deps", "--require-hashes", "--requirement", str(hashed))
    if unknown := sorted(set(names) - pins.keys()):
        print(f"Not pinned for this platform, and installed unchecked: {', '.join(unknown)}")
        pip("--constraint", str(versions), *wanted)


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pip(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "pip", "install", *PATIENCE, *arguments], check=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
