"""Finding devices never fails: what is missing or broken becomes a line that says what to do."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator

import pytest

from solvers import devices
from solvers.devices import discover, opencl, pick, rediscover
from solvers.errors import DeviceUnavailable
from solvers.graphs.weights import DISTANCE_TYPES


@pytest.fixture(autouse=True)
def asked_anew() -> Iterator[None]:
    """Each test asks the drivers itself; what it broke is forgotten afterwards."""
    devices._devices.forget()
    yield
    devices._devices.forget()


def without(monkeypatch: pytest.MonkeyPatch, *packages: str) -> None:
    for package in packages:
        monkeypatch.setitem(sys.modules, package, None)


def fake_cupy(count: object) -> types.ModuleType:
    cupy = types.ModuleType("cupy")
    cupy.cuda = types.SimpleNamespace(runtime=types.SimpleNamespace(getDeviceCount=count))
    return cupy


def test_missing_libraries_are_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "cupy", "pyopencl")
    found = discover()
    assert found.devices == ()
    cuda, cl = found.problems
    assert "cupy is not installed" in cuda
    assert "pip install cupy-cuda13x" in cuda
    assert "pyopencl is not installed" in cl


@pytest.mark.parametrize("package", ["pyopencl", "platformdirs"])
def test_the_remedy_installs_the_package_that_is_missing(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = ModuleNotFoundError(f"No module named '{package}'", name=package)
    monkeypatch.setattr(opencl, "import_pyopencl", failing(missing))
    assert (
        problem_of("OpenCL")
        == f"OpenCL: the Python package {package} is not installed; pip install {package}"
    )


def problem_of(kind: str) -> str:
    (line,) = [problem for problem in discover().problems if problem.startswith(kind)]
    return line


def failing(error: Exception) -> Callable[[], object]:
    def fail() -> object:
        raise error

    return fail


def test_a_broken_cuda_driver_is_a_line_not_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = RuntimeError("cudaErrorInsufficientDriver: CUDA driver version is\n insufficient")
    monkeypatch.setitem(sys.modules, "cupy", fake_cupy(failing(broken)))
    assert "cudaErrorInsufficientDriver: CUDA driver version is insufficient" in problem_of("CUDA")
    assert "nvidia-smi" in problem_of("CUDA")


def test_a_library_that_does_not_load_is_a_line_not_a_crash(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(opencl, "import_pyopencl", failing(OSError("libOpenCL.so.1: cannot open")))
    assert "libOpenCL.so.1" in problem_of("OpenCL")
    assert "reinstall pyopencl" in problem_of("OpenCL")


def test_a_broken_opencl_driver_is_a_line_not_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    cl = pytest.importorskip("pyopencl")
    monkeypatch.setattr(cl, "get_platforms", failing(cl.LogicError("PLATFORM_NOT_FOUND_KHR")))
    assert "PLATFORM_NOT_FOUND_KHR" in problem_of("OpenCL")
    assert "pip install intel-opencl-rt" in problem_of("OpenCL")


def test_devices_are_asked_for_once_and_again_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "cupy", "pyopencl")
    assert discover() is discover()
    monkeypatch.undo()
    assert len(rediscover().problems) <= 2
    assert discover() is discover()


class _Named:
    def __init__(self, key: str) -> None:
        self.key, self.kind, self.name, self.driver = (
            key,
            key.partition(":")[0],
            f"device {key}",
            "1",
        )


@pytest.fixture
def several(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "_cuda", lambda: ([_Named("cuda:0"), _Named("cuda:1")], []))
    monkeypatch.setattr(
        devices, "_opencl", lambda: ([_Named("opencl:0")], ["OpenCL: one driver is broken"])
    )


@pytest.mark.usefixtures("several")
@pytest.mark.parametrize(
    ("spec", "key"),
    [
        ("auto", "cuda:0"),
        ("cuda", "cuda:0"),
        ("cuda:1", "cuda:1"),
        ("opencl", "opencl:0"),
        (" OpenCL:0 ", "opencl:0"),
    ],
)
def test_pick_by_kind_key_or_preference(spec: str, key: str) -> None:
    assert pick(spec).key == key


@pytest.mark.usefixtures("several")
def test_an_absent_device_is_refused_with_what_is_here() -> None:
    with pytest.raises(DeviceUnavailable) as refused:
        pick("cuda:7")
    assert "“cuda:7”" in str(refused.value)
    assert "opencl:0 (device opencl:0)" in str(refused.value)
    assert "one driver is broken" in str(refused.value)


class _FakeDevice:
    available = compiler_available = True
    global_mem_size, max_compute_units, max_work_group_size, driver_version = 10**9, 2, 256, "1"
    local_mem_size = 32768
    extensions = ""

    def __init__(self, platform: _FakePlatform, kind: int) -> None:
        self.platform, self.type, self.name = platform, kind, f"{platform.name} device"


class _FakePlatform:
    def __init__(self, name: str, kind: int) -> None:
        self.name, self._kind = name, kind

    def get_devices(self) -> list[_FakeDevice]:
        return [_FakeDevice(self, self._kind)]


def test_gpus_come_first_and_intel_before_other_runtimes_of_the_processor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cl = pytest.importorskip("pyopencl")
    cpu, gpu = cl.device_type.CPU, cl.device_type.GPU
    platforms = [
        _FakePlatform("Portable CL", cpu),
        _FakePlatform("Intel(R) OpenCL", cpu),
        _FakePlatform("AMD", gpu),
    ]
    monkeypatch.setattr(cl, "get_platforms", lambda: platforms)
    found = opencl.find_devices()
    assert [d.name for d in found] == ["AMD device", "Intel(R) OpenCL device", "Portable CL device"]
    assert [d.key for d in found] == ["opencl:0", "opencl:1", "opencl:2"]


@pytest.mark.parametrize(
    ("extensions", "int64", "float64"),
    [
        ("cl_khr_fp64 cl_khr_int64_base_atomics cl_khr_int64_extended_atomics", "", ""),
        ("cl_khr_fp64 cl_khr_global_int32_base_atomics", "64-bit atomics", "64-bit atomics"),
        ("cl_khr_int64_extended_atomics", "", "double precision"),
        ("", "64-bit atomics", "double precision and 64-bit atomics"),
    ],
)
def test_what_a_driver_lacks_is_read_off_its_extensions(
    extensions: str, int64: str, float64: str
) -> None:
    cl = pytest.importorskip("pyopencl")
    handle = _FakeDevice(_FakePlatform("Other", cl.device_type.GPU), cl.device_type.GPU)
    handle.extensions = extensions
    device = opencl.OpenCLDevice(cl, handle, "opencl:0")
    lacks = {kind.name: device.missing_features(kind) for kind in DISTANCE_TYPES}
    assert lacks == {"int32": "", "int64": int64, "float64": float64}
