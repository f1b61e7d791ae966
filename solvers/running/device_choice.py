"""Which device a run takes, from what its user asked for."""

from __future__ import annotations

from collections.abc import Sequence

from solvers.contracts.catalog import Variant
from solvers.devices import pick
from solvers.devices.base import Device
from solvers.errors import DeviceUnavailable


def find_device(spec: str, variants: Sequence[Variant]) -> Device | None:
    """The device for these variants: none is sought where none is needed, or where "auto" finds none.

    Raises
    ------
    DeviceUnavailable
        For a device that was asked for by name.
    """
    if not any(v.runs_on.takes_device for v in variants):
        return None
    try:
        return pick(spec)
    except DeviceUnavailable:
        if spec != "auto":
            raise
        return None
