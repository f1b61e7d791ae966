"""Selection of the device for a run."""

from __future__ import annotations

from collections.abc import Sequence

from solvers.contracts.catalog import Variant
from solvers.devices import pick
from solvers.devices.base import Device
from solvers.errors import DeviceUnavailable


def find_device(spec: str, variants: Sequence[Variant]) -> Device | None:
    """The device for these variants; None if none of them uses a device, or "auto" finds none.

    Raises
    ------
    DeviceUnavailable
        If a device other than "auto" was requested and does not exist.
    """
    if not any(v.runs_on.takes_device for v in variants):
        return None
    try:
        return pick(spec)
    except DeviceUnavailable:
        if spec != "auto":
            raise
        return None
