"""Discovery and selection of the devices that run kernels."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from solvers.devices.device import Device
from solvers.errors import DeviceUnavailable, FileNotWritten, ParameterError, UnknownName
from solvers.program import install_command, with_way_to_install
from solvers.system.once import Once

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class DeviceList:
    """What `discover` found."""

    devices: tuple[Device, ...]  # CUDA first, then OpenCL GPUs, then processors
    # one line per missing or broken library or driver, with the remedy
    problems: tuple[str, ...] = ()


def discover() -> DeviceList:
    """Every device of this machine. Never raises. The drivers are queried once; see
    `rediscover`.
    """
    return _devices.get()


def _query_drivers() -> DeviceList:
    cuda, cuda_problems = _cuda()
    opencl, opencl_problems = _opencl()
    problems = map(with_way_to_install, (*cuda_problems, *opencl_problems))
    found = DeviceList((*cuda, *opencl), tuple(problems))
    for device in found.devices:
        log.info("device %s: %s, driver %s", device.key, device.name, device.driver)
    for problem in found.problems:
        log.info("no device by %s", problem)
    return found


_devices = Once(_query_drivers)  # two objects for one device would not share its memory's count


def known_devices() -> tuple[Device, ...]:
    """The devices that `discover` has found; queries no driver."""
    found = _devices.peek()
    return () if found is None else found.devices


def known_names() -> tuple[str, ...]:
    """Names of the `known_devices`."""
    return tuple(device.name for device in known_devices())


def rediscover() -> DeviceList:
    """Query the drivers again."""
    _devices.forget()
    return discover()


def pick(spec: str = "auto") -> Device:
    """The first device that matches ``spec``: "auto", a kind ("cuda", "opencl") or a
    key ("cuda:0", "opencl:1").

    Raises DeviceUnavailable if none matches; the message lists the devices found and
    the problems.
    """
    require_kind(spec)
    found = discover()
    wanted = spec.strip().lower()
    for device in found.devices:
        if wanted == "auto" or wanted in (device.kind, device.key):
            log.info("device %s was chosen by “%s”", device.key, wanted)
            return device
    available = ", ".join(f"{d.key} ({d.name})" for d in found.devices) or "none"
    reasons = "".join(f" {problem}." for problem in found.problems)
    subject = "No device that runs kernels" if wanted == "auto" else f"No device “{spec}”"
    raise DeviceUnavailable(f"{subject} on this machine; available devices: {available}.{reasons}")


def find_sweep_device(spec: str | Device | None) -> Device | None:
    """The device that sweeps rows of distances: as `named_device`, but "auto" is an NVIDIA GPU,
    if there is one, and "none" or None the processor's threads.
    """
    return None if spec == "none" else named_device(spec, "cuda")


def named_device(spec: str | Device | None, auto: str = "auto") -> Device | None:
    """The device that ``spec`` names, as of `pick`; None if "auto", which means ``auto``, finds
    none. A device, or None, stands for itself.

    Raises DeviceUnavailable if a device other than "auto" was requested and does not
    exist; ParameterError for what names none.
    """
    if not isinstance(spec, str):
        return require_device(spec)
    try:
        return pick(auto if spec == "auto" else spec)
    except DeviceUnavailable:
        if spec != "auto":
            raise
        return None


def require_device(device: object) -> Device | None:
    """A device, or None; raises ParameterError for anything else."""
    if device is None or isinstance(device, Device):
        return device
    choices = "auto, a kind or key of a device, a device of list_devices, or None"
    raise ParameterError("device", "device", device, f"it takes {choices}")


def require_kind(spec: str) -> None:
    """Raise `UnknownName` if ``spec`` names no kind of device, whether or not this
    machine has one.
    """
    if (kind := spec.strip().lower().partition(":")[0]) not in ("auto", "cuda", "opencl"):
        raise UnknownName("kind of device", kind, ("auto", "cuda", "opencl"))


def _cuda() -> tuple[Sequence[Device], list[str]]:
    try:
        from solvers.devices import cuda

        return cuda.find_devices(), []
    except ModuleNotFoundError as error:
        return (), [f"CUDA: {_missing(error)}; {_install_cupy()}"]
    except (ImportError, OSError, RuntimeError) as error:  # CuPy's own errors are RuntimeErrors
        return (), [
            f"CUDA: {_one_line(error)}; check that nvidia-smi shows the GPU, then reinstall CuPy"
        ]


def _opencl() -> tuple[Sequence[Device], list[str]]:
    from solvers.devices import opencl

    try:
        cl = opencl.import_pyopencl()
    except ModuleNotFoundError as error:
        return (), [f"OpenCL: {_missing(error)}; pip install {_package(error)}"]
    except FileNotWritten as error:
        return (), [f"OpenCL: {_one_line(error)}"]
    except (ImportError, OSError, RuntimeError) as error:
        return (), [f"OpenCL: {_one_line(error)}; reinstall pyopencl"]
    try:
        devices = opencl.find_devices()
    except (cl.Error, OSError) as error:
        return (), [f"OpenCL: {_one_line(error)}; {_install_opencl()}"]
    return devices, [] if devices else [f"OpenCL: no driver has a device; {_install_opencl()}"]


def _install_cupy() -> str:
    newer, older = map(install_command, ("cuda13", "cuda12"))
    return f"for an NVIDIA GPU with driver 580 or newer: {newer}; with an older one: {older}"


def _install_opencl() -> str:
    command = install_command("cpu-opencl")
    return f"install the GPU's driver, or the one for the processor: {command}"


def _missing(error: ModuleNotFoundError) -> str:
    return f"the Python package {_package(error)} is not installed"


def _package(error: ModuleNotFoundError) -> str:
    """The package that was not found, which one that is installed may have imported."""
    return (error.name or "?").partition(".")[0]


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return text or type(error).__name__
