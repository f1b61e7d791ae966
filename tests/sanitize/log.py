"""What a run under compute-sanitizer printed, divided by variants."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

END = "## end"
WRONG = "## wrong: "

_MARKER = re.compile(r"^## variant (\S+)$")
_RECORD = re.compile(
    r"^========= (?=\S)(?!COMPUTE-SANITIZER|[A-Z]+ SUMMARY|Saved host|Target application)"
)
_SUMMARY = re.compile(r"^========= (?:ERROR|RACECHECK) SUMMARY: (\d+) (?:errors?|hazards?)")
_BEFORE = "(start)"


def marker(variant_id: str) -> str:
    """The line that starts a variant's part of the log."""
    return f"## variant {variant_id}"


@dataclass
class ToolReport:
    """One tool's findings.

    Attributes
    ----------
    errors : dict of str to list of str
        By variant, in the order in which they were checked: the first line of each
        record, and wrong answers.
    total : int or None
        The tool's own count; None where it did not come to its end.
    complete : bool
        Whether every variant was checked.
    rest : list of str
        Lines that belong to no variant, for what went wrong before the first.
    """

    errors: dict[str, list[str]] = field(default_factory=dict)
    total: int | None = None
    complete: bool = False
    rest: list[str] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        return self.complete and self.total == 0 and not any(self.errors.values())


def parse(lines: Iterable[str]) -> ToolReport:
    """Divide the merged output of a tool and of the process that it checks."""
    report = ToolReport()
    current = _BEFORE
    for line in (raw.rstrip("\n") for raw in lines):
        if found := _MARKER.match(line):
            current = found.group(1)
            report.errors[current] = []
        elif line == END:
            report.complete = True
        elif found := _SUMMARY.match(line):
            report.total = max(report.total or 0, int(found.group(1)))
        elif _RECORD.match(line) or line.startswith(WRONG):
            report.errors.setdefault(current, []).append(
                line.removeprefix("========= ").removeprefix(WRONG)
            )
        elif current == _BEFORE and not line.startswith("========="):
            report.rest.append(line)
    return report
