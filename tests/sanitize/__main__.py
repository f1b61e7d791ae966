"""Run the tools one after another and print a table of errors by variant and tool; exit
status 1 on any error.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.sanitize.log import ToolReport, parse
from tests.sanitize.work import checked_variants

TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")
ROOT = Path(__file__).resolve().parents[2]
_UNAVAILABLE = 3
_SHOWN = 3  # records of a cell that are printed in full


def main() -> int:
    arguments = _arguments()
    program = shutil.which(arguments.sanitizer)
    if program is None:
        sys.stderr.write(
            f"{arguments.sanitizer} is not on the path; it is part of the CUDA toolkit.\n"
        )
        return _UNAVAILABLE
    only = [name for name in arguments.only.split(",") if name]
    reports = {}
    for tool in arguments.tools.split(","):
        sys.stderr.write(f"{tool} ...\n")
        reports[tool] = run_tool(program, tool, arguments.types, only, arguments.limit)
    names = [entry.id for entry in checked_variants(only)]
    sys.stdout.write("\n".join([*table(names, reports), "", *details(reports)]) + "\n")
    return 0 if all(report.clean for report in reports.values()) else 1


def run_tool(
    program: str, tool: str, types: str, only: Sequence[str], limit_s: float
) -> ToolReport:
    """Check all variants with one tool; what it printed until the time limit is
    evaluated in any case.
    """
    command = [
        program,
        "--tool",
        tool,
        "--target-processes",
        "application-only",
        "--print-limit",
        "10000",
        # CuPy asks the driver for what may be missing, and both check the status of
        # each call themselves.
        *(("--report-api-errors", "no") if tool == "memcheck" else ()),
        sys.executable,
        "-m",
        "tests.sanitize.work",
        "--types",
        types,
        "--only",
        ",".join(only),
    ]
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
        process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)
        late = False
        try:
            process.wait(limit_s)
        except subprocess.TimeoutExpired:
            late = True
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        log.seek(0)
        report = parse(log)
    if late:
        report.rest.append(f"ended after {limit_s:.0f} s, the time limit")
    elif not report.complete:
        report.rest.append(f"ended with status {process.returncode} before the last variant")
    return report


def table(names: Sequence[str], reports: Mapping[str, ToolReport]) -> list[str]:
    """A Markdown table: one row per variant, one column per tool, the number of errors
    in each cell.
    """
    lines = [f"| variant | {' | '.join(reports)} |", f"|---|{'---|' * len(reports)}"]
    for name in names:
        cells = (
            str(len(report.errors[name])) if name in report.errors else "not run"
            for report in reports.values()
        )
        lines.append(f"| {name} | {' | '.join(cells)} |")
    totals = ("–" if report.total is None else str(report.total) for report in reports.values())
    return [*lines, f"| all, by the tool's own count | {' | '.join(totals)} |"]


def details(reports: Mapping[str, ToolReport]) -> list[str]:
    """The first records of every cell that is not 0, and why a tool did not come to its end."""
    lines = []
    for tool, report in reports.items():
        for name, records in report.errors.items():
            lines += [f"{tool}, {name}: {record}" for record in records[:_SHOWN]]
            if len(records) > _SHOWN:
                lines.append(f"{tool}, {name}: and {len(records) - _SHOWN} more")
        if not report.complete or report.total is None:
            lines += [f"{tool}: {line}" for line in report.rest[-10:]]
    return lines


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.sanitize", description=__doc__)
    parser.add_argument(
        "--tools", default=",".join(TOOLS), help=f"some of {', '.join(TOOLS)} (default: all)"
    )
    parser.add_argument(
        "--types", default="int32,float64", help="weight types (default: int32,float64)"
    )
    parser.add_argument("--only", default="", metavar="ID[,ID...]", help="only these variants")
    parser.add_argument(
        "--limit", type=float, default=900, metavar="S", help="seconds for one tool (default: 900)"
    )
    parser.add_argument(
        "--sanitizer", default="compute-sanitizer", help="the program (default: compute-sanitizer)"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
