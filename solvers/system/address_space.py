"""The limit of the address space (``ulimit -v``), looked at before numerical libraries are loaded.

Without enough of it, the start of their threads and their compilers hang or abort instead of failing. Nothing but
Python's own library is imported here.
"""

from __future__ import annotations

import os
from collections.abc import MutableMapping

# On two cores, compilers of kernels abort below half of this, and every kind of variant answers above; the other half
# is for the stacks of the threads of more cores, and a graph.
LEAST_BYTES = 2_000_000_000
_BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")  # each thread takes its stack and buffers in advance


def prepare_for_limit(environment: MutableMapping[str, str] | None = None) -> str:
    """Let BLAS start one thread if there is a limit; a sentence if the limit is too low for any work, else ""."""
    environment = os.environ if environment is None else environment
    limit = _limit()
    if limit is None:
        return ""
    for name in _BLAS_THREADS:
        environment.setdefault(name, "1")
    if limit >= LEAST_BYTES:
        return ""
    return (
        f"The address space of this process is limited to {limit // 1_000_000} MB, and at least "
        f"{LEAST_BYTES // 1_000_000} MB are needed. Raise the limit: ulimit -v unlimited."
    )


def _limit() -> int | None:
    try:
        import resource
    except ImportError:  # Windows has none
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft
