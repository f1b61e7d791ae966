"""Variants ticked at the first start."""

from __future__ import annotations

from solvers.core.availability import availability
from solvers.core.variant import Answers, all_variants
from solvers.devices.device import Device

# The papers' fastest Bellman-Ford, its edge-parallel rival, and what both have to beat.
PREFERRED = ("bf-strided-flag", "bf-edge-flags", "dijkstra-heap")
_ENOUGH = 2


def default_choices(device: Device | None) -> tuple[str, ...]:
    """Ids of a representative set that can run with or without a device."""
    runnable = [v for v in all_variants() if availability(v, None, device).available]
    chosen = [v.id for v in runnable if v.id in PREFERRED]
    others = [v.id for v in runnable if v.answers is Answers.SSSP and not v.racy and v.id not in chosen]
    return tuple(chosen + others[: max(0, _ENOUGH - len(chosen))])
