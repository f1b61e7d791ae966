"""Low priority for a thread of background work, and for the threads and processes that it starts."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress

_NICE = 10


def lower_priority_of_thread() -> None:
    """Lower the calling thread's priority for good; only on Linux, where threads have priorities of their own."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
