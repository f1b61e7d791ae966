"""The process under a tool such as compute-sanitizer: it ends by itself after a
failure, and the log is read.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from solvers.features.own_kernels import kernel_memory
from solvers.features.own_kernels.kernel_memory import check_memory
from solvers.features.own_kernels.user_process import UserProcess
from tests.solvers.features.own_kernels.test_instrumented import FLAGS, MEMCHECK, own

# What stands for the tool: runs the rest of its command, and writes a log when that has ended.
TOOL = f"""#!{sys.executable}
import subprocess, sys
place = sys.argv[sys.argv.index("--log-file") + 1]
status = subprocess.call(sys.argv[sys.argv.index("--log-file") + 2 :])
ended = f"========= Error: the process ended with {{status}}\\n" if status else ""
open(place, "w").write({MEMCHECK!r} + ended)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a script is the tool")
@pytest.mark.parametrize(
    ("old", "new"), [("", ""), ("int head = heads[arc];", "int head = heads[arc] + 2000000000;")]
)
def test_a_tool_reports_also_after_a_crash(device, monkeypatch, tmp_path: Path, old, new):
    tool = tmp_path / "tool"
    tool.write_text(TOOL)
    tool.chmod(0o755)
    monkeypatch.setattr(kernel_memory, "sanitizer", lambda: str(tool))
    monkeypatch.setattr(type(device), "kind", "cuda")
    report = check_memory(own(FLAGS, old, new), device)
    assert [f.line for f in report.findings if f.line] == [34, 21] * len(kernel_memory.TOOLS)
    if not old:  # after a fault it depends on the device
        assert not any("the process ended" in f.words for f in report.findings)


def test_a_closed_process_may_be_ended():
    process = UserProcess()
    process.close()
    process.end(1.0)
    assert not process.is_usable
