"""How long the points of an experiment take on a host, as it finds itself. Runs in the hosts' workers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from solvers.cluster.facts import COUNTER
from solvers.contracts.catalog import find
from solvers.devices.bandwidth import memory_bandwidth
from solvers.devices.base import Device
from solvers.errors import TautlineError
from solvers.experiments.experiment import Experiment, ExperimentScale
from solvers.experiments.experiment_run import ExperimentRequest
from solvers.experiments.forecast import GridForecast, forecast
from solvers.experiments.machines import Equipment
from solvers.experiments.probe import probed
from solvers.experiments.remote_points import Surroundings, files_of, token_of
from solvers.host import machine
from solvers.host.observer import Observer
from solvers.running.device_choice import find_device
from solvers.running.estimate import EarlierTime, EstimateBasis


@dataclass(frozen=True)
class RemoteForecast:
    """What a host says of one point; attributes as those of `PointForecast`."""

    seconds: float
    basis: EstimateBasis
    reason: str
    is_too_long: bool


def equipment_here(device: str, variant_ids: Sequence[str]) -> Equipment | str:
    """Processor, cores and device of this host, or why it has no such device; none where no variant takes one."""
    try:
        chosen = _device(device, variant_ids)
    except TautlineError as error:
        return str(error).removesuffix(".")
    name, driver = ("", "") if chosen is None else (chosen.name, chosen.driver)
    return Equipment(machine.cpu_name(), machine.cores(), name, driver)


def bandwidth_here(device: str, variant_ids: Sequence[str]) -> float:
    """Bytes per second of the device's memory; 0 if there is no device, or it has no room for the measurement."""
    chosen = _device(device, variant_ids)
    return (0.0 if chosen is None else memory_bandwidth(chosen)) or 0.0


def forecast_here(
    experiment: Experiment, scale: ExperimentScale, around: Surroundings, earlier: Sequence[EarlierTime]
) -> tuple[RemoteForecast, ...]:
    """Expected time of every point in order, or why it is left out."""
    return _told(_request(experiment, scale, around, earlier).forecast)


def probe_here(
    experiment: Experiment, scale: ExperimentScale, around: Surroundings, earlier: Sequence[EarlierTime]
) -> tuple[RemoteForecast, ...]:
    """The same after single trials of the smallest points that are guessed."""
    request = _request(experiment, scale, around, earlier)
    return _told(probed(request, earlier, token_of(around.run), COUNTER.say, always=True).forecast)


def _request(
    experiment: Experiment, scale: ExperimentScale, around: Surroundings, earlier: Sequence[EarlierTime]
) -> ExperimentRequest:
    device, files = _device(around.device, [one.variant.id for one in experiment.series]), files_of(around)
    observer = Observer(token_of(around.run))
    look = forecast(experiment, scale, files, device, earlier, around.measuring, observer)
    return ExperimentRequest(experiment, scale, look, files, around.measuring, device)


def _device(spec: str, variant_ids: Sequence[str]) -> Device | None:
    return find_device(spec, [find(one) for one in variant_ids])


def _told(look: GridForecast) -> tuple[RemoteForecast, ...]:
    return tuple(RemoteForecast(one.seconds, one.basis, one.reason, one.is_too_long) for one in look.points)
