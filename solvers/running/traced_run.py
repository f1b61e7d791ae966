"""One traced run of a variant: the observer that records it, and the launches of its kernels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from solvers.contracts.catalog import Answers, Variant
from solvers.contracts.launches import KernelLog, LaunchLog
from solvers.contracts.problem import Problem, Solution
from solvers.contracts.trace import ActivityTrace, MatrixRecorder, MatrixTrace, TraceRecorder
from solvers.devices.bandwidth import bandwidth_of_all, memory_bandwidth
from solvers.devices.base import Device
from solvers.devices.recording import devices_recorded, recording
from solvers.host.observer import CancelToken


class TracedRun:
    """Records what a variant does.

    Parameters
    ----------
    variant : Variant
    n : int
        Number of vertices.
    device : Device or None
    cancel : CancelToken
    on_progress : callable(done, total)
    cap_bytes : int
        Limit of the trace's memory.

    Attributes
    ----------
    recorder : TraceRecorder or MatrixRecorder
        The observer of the problem that `solve` takes.
    """

    def __init__(
        self,
        variant: Variant,
        n: int,
        device: Device | None,
        cancel: CancelToken,
        on_progress: Callable[[float, float], None],
        cap_bytes: int,
    ):
        self._variant, self._device = variant, device
        self._recorded: Device | None = None
        self._log: LaunchLog | KernelLog | None = None
        self.recorder: TraceRecorder | MatrixRecorder
        if variant.answers is Answers.APSP:
            kernels = None if device is None else KernelLog(device.name, device.is_cpu)
            self._log = kernels
            self.recorder = MatrixRecorder(n, cancel, on_progress, launches=kernels)
            return
        launches = None
        if device is not None and variant.device_work is not None:
            launches = LaunchLog(device.name, device.is_cpu, variant.device_work)
        self._log = launches
        self.recorder = TraceRecorder(n, cancel, on_progress, cap_bytes, launches)

    def solve(self, problem: Problem) -> Solution:
        """Solve ``problem``; raises as the variant does."""
        if self._log is not None and self._device is not None:
            self._recorded = recording(self._device, self._log.launched)
            problem = replace(problem, device=self._recorded)
        return self._variant.solve(problem)

    def trace(self) -> ActivityTrace | MatrixTrace:
        """What was recorded so far; measures the bandwidth of the devices if kernels were traced."""
        if self._log is None or self._device is None:
            return self.recorder.finish()
        if isinstance(self.recorder, MatrixRecorder) and self._recorded is not None:
            used = devices_recorded(self._recorded) or (self._device,)
            return self.recorder.finish(bandwidth_of_all(used), len(used))
        return self.recorder.finish(memory_bandwidth(self._device))
