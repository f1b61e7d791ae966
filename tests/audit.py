"""Ask for advisories against the pinned dependencies; ``make audit`` runs it with the
path of a pip-audit program.

A package that the service does not know is not called free of advisories. Exit status:
0 if none is known, 1 for advisories or packages that could not be looked up, 2 if the
service cannot be reached.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from solvers.text import plural

PINNED = Path(__file__).parents[1] / "constraints.txt"


def verdict(output: str, messages: str) -> tuple[list[str], int]:
    """Lines to print and the exit status, from pip-audit's JSON output and its messages."""
    try:
        packages = json.loads(output)["dependencies"]
    except ValueError:
        reason = (messages.strip().splitlines() or ["it said nothing"])[-1]
        return [
            f"Nothing was audited, because the advisory service cannot be reached: {reason[:200]}"
        ], 2
    skipped = [package["name"] for package in packages if "skip_reason" in package]
    if len(skipped) == len(packages):
        return [
            (
                "Nothing was audited, because the advisory service that is reached from here knows "
                "no package."
            )
        ], 2
    lines = [
        (
            f"{package['name']} {package['version']}: {found['id']}, "
            f"fixed in {', '.join(found['fix_versions']) or 'none'}"
        )
        for package in packages
        for found in package.get("vulns", ())
    ]
    if skipped:
        lines.append(
            f"Not found by the advisory service, and so not audited: {', '.join(skipped)}."
        )
    return lines or [
        f"No advisory is known for any of the {plural(len(packages), 'package')}."
    ], 1 if lines else 0


def main(arguments: Sequence[str]) -> int:
    command = [
        *arguments,
        "--requirement",
        str(PINNED),
        "--no-deps",
        "--disable-pip",
        "--format",
        "json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines, status = verdict(done.stdout, done.stderr)
    print("\n".join(lines))
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
