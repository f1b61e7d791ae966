"""Several NVIDIA GPUs of one machine that work on one problem; they send to each other
by NCCL, through CuPy.

One thread of the host enqueues the work of all of them. CUDA's current device is a
setting of the thread, so every use of a member's session or queues is inside
`GpuMember.current`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from solvers.devices import discover
from solvers.devices.device import Device, Program, recorded_with
from solvers.errors import DeviceUnavailable


class Queue(Protocol):
    """See `cuda_queue.CudaQueue`."""

    def launch(
        self,
        program: Program,
        kernel: str,
        grid: tuple[int, ...],
        block: tuple[int, ...],
        *arguments: Any,
    ) -> None: ...

    def mark(self) -> Any: ...

    def wait(self, mark: Any) -> None: ...

    def synchronize(self) -> None: ...


@dataclass(frozen=True)
class GpuMember:
    device: Device
    session: Any
    # for the bulk of the work; for what others wait for; for what is sent and received
    main: Queue
    urgent: Queue
    link: Queue

    def current(self) -> AbstractContextManager[Any]:
        """A ``with`` block in which calls go to this GPU."""
        return self.session.current()


class GpuGroup:
    """Members and their connection; see `gpu_group`."""

    def __init__(self, members: Sequence[GpuMember], communicators: Sequence[Any]):
        self.members = tuple(members)
        self._communicators = tuple(communicators)

    def broadcast(self, origin: int, buffers: Sequence[Any], nbytes: int) -> None:
        """Enqueue on every member's ``link``: copy the first bytes of the buffer of
        member ``origin`` to all others'.

        ``buffers`` has one for each member, in their order.
        """
        if len(self.members) == 1:
            return
        from cupy.cuda import nccl

        nccl.groupStart()
        for member, communicator, buffer in zip(
            self.members, self._communicators, buffers, strict=True
        ):
            with member.current():
                pointer = buffer.array.data.ptr
                stream = member.link.stream.ptr  # type: ignore[attr-defined]
                communicator.bcast(pointer, nbytes, nccl.NCCL_INT8, origin, stream)
        nccl.groupEnd()

    def synchronize(self) -> None:
        """Wait for all queues of all members."""
        for member in self.members:
            with member.current():
                for queue in (member.urgent, member.link, member.main):
                    queue.synchronize()


def gpus_like(device: Device) -> tuple[Device, ...]:
    """The GPU itself, and the others of its name that CUDA reaches on this machine;
    recorded if it is.
    """
    others = (one for one in discover().devices if one.kind == "cuda" and one.key != device.key)
    return (device, *(recorded_with(device, one) for one in others if one.name == device.name))


def number_of_gpus() -> int:
    """GPUs that CUDA reaches on this machine."""
    return sum(one.kind == "cuda" for one in discover().devices)


@contextmanager
def gpu_group(devices: Sequence[Device]) -> Iterator[GpuGroup]:
    """A group of CUDA devices, each with a session that lasts as long as the ``with`` block.

    Raises DeviceUnavailable if there are several, and NCCL is missing or fails.
    """
    communicators = _communicators(devices)
    with ExitStack() as stack:
        members = []
        for device in devices:
            session: Any = stack.enter_context(device.session())
            members.append(
                GpuMember(
                    device,
                    session,
                    session.queue(),
                    session.queue(is_urgent=True),
                    session.queue(is_urgent=True),
                )
            )
        yield GpuGroup(members, communicators)


def _communicators(devices: Sequence[Device]) -> tuple[Any, ...]:
    """One communicator a device, kept with the first: making them takes longer than most runs."""
    if len(devices) == 1:
        return ()
    kept: dict[tuple[str, ...], tuple[Any, ...]]
    kept = devices[0].communicators  # type: ignore[attr-defined]
    keys = tuple(device.key for device in devices)
    if keys not in kept:
        try:
            from cupy.cuda import nccl

            ordinals = [device.ordinal for device in devices]  # type: ignore[attr-defined]
            kept[keys] = tuple(nccl.NcclCommunicator.initAll(ordinals))
        except (ImportError, OSError, AttributeError) as error:
            raise DeviceUnavailable(
                f"GPUs send to each other by NCCL, which CuPy does not find here ({error}). "
                "Install it (Linux: “pip install nvidia-nccl-cu13”, "
                "or -cu12 for CuPy of CUDA 12), or choose gpus=1."
            ) from None
        except RuntimeError as error:  # NcclError
            raise DeviceUnavailable(
                f"NCCL does not connect the GPUs: {error}. Choose gpus=1."
            ) from None
    return kept[keys]
