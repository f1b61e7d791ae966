from __future__ import annotations

import subprocess
import sys

_FOUR_THREADS = """
import dataclasses, sys, threading
import msgspec
from solvers.system.known_types import known

def convert(kind, meet):
    meet.wait()
    one = {"number": 1, "name": "x"}
    made = msgspec.convert({"one": one, "more": {"x": one}}, known(kind))
    assert made.more["x"] == made.one

sys.setswitchinterval(1e-6)
fields = [("number", int), ("name", str)]
for make in (dataclasses.make_dataclass, msgspec.defstruct):
    for _ in range(60):
        inner = make("Inner", fields)
        kind = make("Outer", [("one", inner), ("more", dict[str, inner])])
        meet = threading.Barrier(4)
        threads = [threading.Thread(target=convert, args=(kind, meet)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
"""


def test_threads_that_meet_a_class_at_once_convert_values_to_it() -> None:
    """Without `known`, the process ended in a segmentation fault, six times of six."""
    done = subprocess.run(
        [sys.executable, "-c", _FOUR_THREADS], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
