"""A plugin for NetworkX's own tests: functions that the backend has must be solved by
it, all others need not.

NetworkX's choice is between all falling back to NetworkX and none, in which case a test
that also relabels nodes is expected to fail. The plugin also prints, as the last lines,
how often each function ran on the backend.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from networkx.utils.backends import _dispatchable

from solvers.features.networkx_backend.info import FUNCTIONS

calls: Counter[str] = Counter()
_convert_and_call = _dispatchable._convert_and_call_for_tests


def _strictly(
    self: Any, backend_name: str, args: Any, kwargs: Any, *, fallback_to_nx: bool = False
) -> Any:
    known = self.name in FUNCTIONS
    if known:
        calls[self.name] += 1
    return _convert_and_call(self, backend_name, args, kwargs, fallback_to_nx=not known)


def pytest_configure() -> None:
    _dispatchable._convert_and_call_for_tests = _strictly


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for report in terminalreporter.stats.get("xfailed", ()):
        terminalreporter.write_line(f"XFAIL {report.nodeid} {report.wasxfail}")
    for name, count in sorted(calls.items()):
        terminalreporter.write_line(f"CALLS {name} {count}")
