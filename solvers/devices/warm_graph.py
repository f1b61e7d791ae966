"""What stays on a device between the trials of one variant, if the plan asks for a warm graph."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import TypeVar, cast

from solvers.devices.base import Device, DeviceSession

Kept = TypeVar("Kept")


class WarmGraph:
    """Buffers of one graph, as one variant lays it out on a device; they are freed with the session.

    Parameters
    ----------
    session : DeviceSession
        Lasts as long as the trials, each of which has a session of its own for the rest.

    Attributes
    ----------
    upload_ms : float
        Host time for putting the graph on the device, copies and kernels included.
    """

    def __init__(self, session: DeviceSession):
        self._session = session
        self._kept: dict[Hashable, object] = {}
        self.upload_ms = 0.0

    @property
    def is_used(self) -> bool:
        """Whether the variant keeps anything: those on the processor, and those that overwrite the graph, do not."""
        return bool(self._kept)

    @property
    def nbytes(self) -> int:
        return self._session.peak_bytes

    def keep(self, key: Hashable, build: Callable[[DeviceSession], Kept]) -> Kept:
        """What ``build`` makes of the session, made once for each key.

        Raises
        ------
        OutOfMemory
        """
        if key not in self._kept:
            began = time.perf_counter()
            self._kept[key] = build(self._session)
            self._session.synchronize()
            self.upload_ms += (time.perf_counter() - began) * 1e3
        return cast(Kept, self._kept[key])


@contextmanager
def warm_graph_on(device: Device) -> Iterator[WarmGraph]:
    """A warm graph whose buffers are freed at the end of the ``with`` block."""
    with device.session() as session:
        yield WarmGraph(session)
