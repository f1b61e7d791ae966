"""Intrinsics for numba CPU code: atomic operations on array elements, and the elementary
operations of rows in vector registers, of which `lane_rows` composes whole loops.

numba itself provides atomic operations for GPUs only. What each does is written in
`solvers.system.intrinsic_code`, which is imported when a function that uses one is
compiled.
"""

from __future__ import annotations

from typing import Any

from solvers.system.late import Later

_CODE = "solvers.system.intrinsic_code"
ROW = 16  # elements of a row

atomic_min: Any = Later(f"{_CODE}:atomic_min")
atomic_add: Any = Later(f"{_CODE}:atomic_add")
atomic_exchange: Any = Later(f"{_CODE}:atomic_exchange")
compare_exchange: Any = Later(f"{_CODE}:compare_exchange")
load_shared: Any = Later(f"{_CODE}:load_shared")
array_at: Any = Later(f"{_CODE}:array_at")
every_second_at: Any = Later(f"{_CODE}:every_second_at")
element: Any = Later(f"{_CODE}:element")
prefetch: Any = Later(f"{_CODE}:prefetch")
prefetch_gapped: Any = Later(f"{_CODE}:prefetch_gapped")
prefetch_to_write: Any = Later(f"{_CODE}:prefetch_to_write")
spin_once: Any = Later(f"{_CODE}:spin_once")
give_way: Any = Later(f"{_CODE}:give_way")
sleep_briefly: Any = Later(f"{_CODE}:sleep_briefly")
load: Any = Later(f"{_CODE}:load")
store: Any = Later(f"{_CODE}:store")
spread: Any = Later(f"{_CODE}:spread")
plus: Any = Later(f"{_CODE}:plus")
minus: Any = Later(f"{_CODE}:minus")
times: Any = Later(f"{_CODE}:times")
divided: Any = Later(f"{_CODE}:divided")
both: Any = Later(f"{_CODE}:both")
less: Any = Later(f"{_CODE}:less")
at_most: Any = Later(f"{_CODE}:at_most")
equal: Any = Later(f"{_CODE}:equal")
select: Any = Later(f"{_CODE}:select")
converted: Any = Later(f"{_CODE}:converted")
bits_of: Any = Later(f"{_CODE}:bits_of")
condition_of: Any = Later(f"{_CODE}:condition_of")
total: Any = Later(f"{_CODE}:total")
