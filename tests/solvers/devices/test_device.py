"""The device interface as variants use it, on the processor and, where there is one, on
the GPU; and its probes.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solvers.core.variant import find_variant
from solvers.devices import monitor
from solvers.devices.cuda_streams import MIN_BYTES
from solvers.devices.device import Device, KernelSource, is_timed_on, recording, timing_on
from solvers.devices.kernel import distance_defines
from solvers.devices.monitor import memory_bandwidth
from solvers.errors import KernelBuildError, OutOfMemory, ParameterError
from solvers.graphs.generators import find
from solvers.graphs.weights import DISTANCE_TYPES, INT32, WeightType
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.running.run import run
from tests.solvers.fakes import ProgressListener


def test_every_launch_is_told_and_made(device: Device) -> None:
    told: list[tuple[str, int, int]] = []
    watched = recording(device, lambda *launch: told.append(launch))
    source = KernelSource.beside(monitor.__file__, "bandwidth.cu", **distance_defines(INT32))
    program = watched.compile(source)
    with watched.session() as session:
        numbers = np.arange(100, dtype=np.int64)
        given, taken = session.upload(numbers), session.empty(100, np.int64)
        program.launch("copy", (2,), (32,), np.int64(100), given, taken)
        program.launch("copy", (0,), (32,), np.int64(100), given, taken)
        assert np.array_equal(session.download(taken), numbers)
    assert told == [("copy", 2, 32)], "an empty grid launches nothing"
    assert (watched.name, watched.is_cpu, watched.max_block) == (
        device.name,
        device.is_cpu,
        device.max_block,
    )


def test_the_bandwidth_is_measured_once(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monitor, "_measured", {})
    monkeypatch.setattr(monitor, "_CPU_WORDS", 2**17)
    found = memory_bandwidth(device)
    assert found is not None
    assert 1e7 < found < 1e14
    monkeypatch.setattr(monitor, "_measure", lambda _: pytest.fail("measured again"))
    assert memory_bandwidth(device) == found


def test_a_device_without_room_has_no_known_bandwidth(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(_: Device) -> float:
        raise OutOfMemory("a copy", 10, 5, device.name)

    monkeypatch.setattr(monitor, "_measured", {})
    monkeypatch.setattr(monitor, "_measure", no_room)
    assert memory_bandwidth(device) is None
    monkeypatch.setattr(monitor, "_measured", {})
    monkeypatch.undo()
    monkeypatch.setattr(monitor, "_measured", {})
    monkeypatch.setattr(type(device), "free_bytes", lambda _: 1000)
    assert memory_bandwidth(device) is None


def test_a_run_lets_its_device_be_known_while_it_is_timed(device: Device) -> None:
    graph = find("road").generate({"vertices": 400})
    seen: dict[str, bool] = {}
    choice = Choice(find_variant("bf-edge"))
    request = RunRequest(graph, 0, None, (choice,), device, MeasurementPlan(1, 2), trace=True)
    listener = ProgressListener(
        lambda progress: seen.update({progress.stage: is_timed_on(device.key)})
    )
    results = list(run(request, listener=listener))
    assert results[0].trials
    assert any(timed for stage, timed in seen.items() if "warm-up" in stage or "trial" in stage)
    assert not any(
        timed for stage, timed in seen.items() if "warm-up" not in stage and "trial" not in stage
    )
    assert not is_timed_on(device.key)


def test_two_runs_on_one_device_and_a_failure() -> None:
    with timing_on("cuda:0"):
        with pytest.raises(RuntimeError, match="midway"), timing_on("cuda:0"):
            raise RuntimeError("midway")
        assert is_timed_on("cuda:0")
        assert not is_timed_on("cuda:1")
    with timing_on(None):
        assert not is_timed_on("cuda:0")


PROBE = """
KERNEL void relax_each(int n, GLOBAL dist_t *p, CONST_IN(dist_t) offers, GLOBAL dist_t *before) {
    FOR_GRID_STRIDE(i, n) before[i] = atomic_relax(&p[i], offers[i]);
}
KERNEL void relax_one(int n, GLOBAL dist_t *p, CONST_IN(dist_t) offers) {
    FOR_GRID_STRIDE(i, n) atomic_relax(p, offers[i]);
}
KERNEL void block_sums(GLOBAL int *sums) {
    __shared__ int total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    atomicAdd(&total, (int)(blockIdx.x * blockDim.x + threadIdx.x));
    __syncthreads();
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}
KERNEL void where(GLOBAL int *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * (int)(gridDim.x * blockDim.x) + x] = 100 * y + x;
}
KERNEL void infinity(GLOBAL dist_t *out) { out[0] = DIST_INF; }
KERNEL void add_one(GLOBAL int *out) { atomic_add(out, 1); }
"""


@pytest.fixture
def session(device: Device) -> Iterator[Any]:
    with device.session() as session:
        yield session


@pytest.fixture
def probe(tmp_path: Path) -> Path:
    path = tmp_path / "probe.cu"
    path.write_text(PROBE)
    return path


def compiled(device: Device, path: Path, kind: WeightType = INT32):
    return device.compile(KernelSource.beside(str(path), path.name, **distance_defines(kind)))


class TestMemory:
    @pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.int64, np.float32, np.float64])
    def test_what_goes_up_comes_down(self, device: Device, dtype: type) -> None:
        whole = np.arange(24).reshape(2, 3, 4).astype(dtype)
        for array in (whole, whole[0, 0, ::2], np.empty(0, dtype)):
            with device.session() as session:
                buffer = session.upload(array)
                assert (buffer.shape, buffer.dtype, buffer.nbytes) == (
                    array.shape,
                    array.dtype,
                    array.nbytes,
                )
                np.testing.assert_array_equal(session.download(buffer), array)
                session.fill(buffer, 3)
                assert (session.download(buffer) == 3).all()

    @pytest.mark.parametrize("kind", DISTANCE_TYPES, ids=lambda kind: kind.name)
    def test_fill_with_infinity(self, session: Any, kind: WeightType) -> None:
        buffer = session.empty((3, 2), kind.dtype)
        session.fill(buffer, kind.infinity)
        assert (session.download(buffer) == kind.infinity).all()

    def test_write_follows_earlier_work(self, session: Any) -> None:
        buffer = session.empty(5, np.int64)
        session.fill(buffer, 3)
        session.write(buffer, np.full(5, 9))
        np.testing.assert_array_equal(session.download(buffer), np.full(5, 9))

    def test_arrays_that_differ_are_not_copied(self, session: Any) -> None:
        buffer = session.empty(5, np.int32)
        with pytest.raises(TypeError, match="int64 into a buffer of int32"):
            session.write(buffer, np.zeros(5, np.int64))
        with pytest.raises(ValueError, match="shape"):
            session.write(buffer, np.zeros(6, np.int32))

    def test_a_download_fills_the_array_that_is_given(self, device: Device) -> None:
        matrix = np.full((4, 3), -1)
        with device.session() as session:
            buffer = session.upload(np.arange(20))
            assert session.download(buffer, into=matrix[1:3]).base is matrix
        np.testing.assert_array_equal(matrix, [[-1, -1, -1], [0, 1, 2], [3, 4, 5], [-1, -1, -1]])

    @pytest.mark.parametrize(
        "elements", [MIN_BYTES // 4 - 1, MIN_BYTES // 4, 12_345_679, 4 * 2**22]
    )
    def test_large_arrays_arrive_whole(self, session: Any, elements: int) -> None:
        array = np.arange(elements, dtype=np.int32)
        part = np.zeros(elements - 5, np.int32)
        buffer = session.upload(array)
        assert np.array_equal(session.download(buffer), array)
        assert np.array_equal(session.download(buffer, into=part), array[:-5])
        session.write(buffer, array[::-1])
        assert np.array_equal(session.download(buffer), array[::-1])

    def test_arrays_that_a_buffer_cannot_fill_are_refused(self, session: Any) -> None:
        buffer = session.upload(np.arange(6, dtype=np.int32))
        with pytest.raises(TypeError, match="int32 into an array of int64"):
            session.download(buffer, into=np.zeros(6, np.int64))
        for unfit in (np.zeros(7, np.int32), np.zeros((3, 2), np.int32).T):
            with pytest.raises(ValueError, match="cannot fill"):
                session.download(buffer, into=unfit)

    def test_too_much_is_refused_before_anything_is_allocated(
        self, device: Device, session: Any
    ) -> None:
        held = session.empty(1000, np.int32)
        with pytest.raises(OutOfMemory) as refused:
            session.empty((10**7, 10**7), np.float64)
        assert refused.value.needed_bytes == 8 * 10**14 > refused.value.free_bytes > 0
        assert device.name in str(refused.value)
        assert session.peak_bytes == held.nbytes

    def test_peak_is_counted_for_each_session(self, device: Device) -> None:
        for elements in (1000, 10):
            with device.session() as session:
                session.empty(elements, np.int32)
                session.empty(elements, np.int64)
                assert session.peak_bytes == 12 * elements

    def test_leaving_by_an_error_frees_the_buffers(self, device: Device, session: Any) -> None:
        # bytes held in OpenCL; in CUDA, more is asked for than fits
        held = getattr(device, "live_bytes", None)
        big = 2**20 if held is not None else min(device.free_bytes() // 2, 2**28)
        for _ in range(8):
            expected = pytest.raises(RuntimeError, match="midway")
            with expected, device.session() as session:
                kept = session.empty(big, np.uint8)
                session.fill(kept, 1)
                raise RuntimeError("midway")
        assert getattr(device, "live_bytes", None) == held
        session.empty(big, np.uint8)


class TestKernels:
    @pytest.mark.parametrize("kind", DISTANCE_TYPES, ids=lambda kind: kind.name)
    def test_relax_is_the_minimum_and_gives_the_value_before(
        self, device: Device, session: Any, probe: Path, kind: WeightType
    ) -> None:
        """Signs of all combinations, infinity and, in floating point, minus zero over a
        negative distance.
        """
        values = [-7, -1, 0, 1, 7, kind.infinity] + ([] if kind.is_integer else [-0.0, -0.25, 1e-3])
        before, offers = (grid.ravel().astype(kind.dtype) for grid in np.meshgrid(values, values))
        n = len(before)
        memory, returned = session.upload(before), session.empty(n, kind.dtype)
        arguments = np.int32(n), memory, session.upload(offers), returned
        compiled(device, probe, kind).launch("relax_each", (2,), (16,), *arguments)
        np.testing.assert_array_equal(session.download(memory), np.minimum(before, offers))
        np.testing.assert_array_equal(session.download(returned), before)

    @pytest.mark.parametrize("kind", DISTANCE_TYPES, ids=lambda kind: kind.name)
    def test_the_least_of_many_offers_wins(
        self, device: Device, session: Any, probe: Path, kind: WeightType
    ) -> None:
        offers = np.random.default_rng(1).integers(-(10**6), 10**6, 20_000).astype(kind.dtype)
        memory = session.upload(np.array([kind.infinity], dtype=kind.dtype))
        arguments = np.int32(len(offers)), memory, session.upload(offers)
        compiled(device, probe, kind).launch("relax_one", (40,), (128,), *arguments)
        assert session.download(memory)[0] == offers.min()

    @pytest.mark.parametrize("kind", DISTANCE_TYPES, ids=lambda kind: kind.name)
    def test_infinity_is_the_same_on_the_device(
        self, device: Device, session: Any, probe: Path, kind: WeightType
    ) -> None:
        out = session.empty(1, kind.dtype)
        compiled(device, probe, kind).launch("infinity", (1,), (1,), out)
        assert session.download(out)[0] == kind.infinity

    def test_shared_memory_and_barriers(self, device: Device, session: Any, probe: Path) -> None:
        sums = session.empty(5, np.int32)
        compiled(device, probe).launch("block_sums", (5,), (64,), sums)
        np.testing.assert_array_equal(
            session.download(sums), np.arange(320).reshape(5, 64).sum(axis=1)
        )

    def test_two_dimensions(self, device: Device, session: Any, probe: Path) -> None:
        out = session.empty((6, 8), np.int32)
        compiled(device, probe).launch("where", (2, 3), (4, 2), out)
        np.testing.assert_array_equal(
            session.download(out), 100 * np.arange(6)[:, None] + np.arange(8)
        )

    def test_a_block_too_large_is_refused_in_words(
        self, device: Device, session: Any, probe: Path
    ) -> None:
        out = session.empty(1, np.int32)
        with pytest.raises(ParameterError, match="threads a block"):
            compiled(device, probe).launch("add_one", (1,), (device.max_block + 1,), out)

    def test_a_buffer_of_another_type_is_refused_at_any_launch(
        self, device: Device, session: Any, probe: Path
    ) -> None:
        out, wrong = session.upload(np.zeros(1, np.int32)), session.empty(1, np.float32)
        program = compiled(device, probe)
        program.launch("add_one", (1,), (4,), out)
        with pytest.raises(TypeError, match="float32"):
            program.launch("add_one", (1,), (4,), wrong)

    def test_a_program_is_compiled_once(self, device: Device, probe: Path) -> None:
        assert compiled(device, probe) is compiled(device, probe)

    def test_an_edited_kernel_is_compiled_again(self, device: Device, probe: Path) -> None:
        before = compiled(device, probe)
        probe.write_text(PROBE.replace("atomic_add(out, 1)", "atomic_add(out, 2)"))
        with device.session() as session:
            out = session.upload(np.zeros(1, np.int32))
            compiled(device, probe).launch("add_one", (1,), (3,), out)
            assert session.download(out)[0] == 6
        assert compiled(device, probe) is not before

    def test_the_log_of_a_broken_kernel_names_file_and_line(
        self, device: Device, tmp_path: Path
    ) -> None:
        (tmp_path / "helper.h").write_text("/* one\n * two */\n")
        path = tmp_path / "broken.cu"
        path.write_text(
            '#include "helper.h"\nKERNEL void f(GLOBAL int *a) {\n    a[0] = undeclared_name;\n}\n'
        )
        with pytest.raises(KernelBuildError) as error:
            compiled(device, path)
        assert "undeclared_name" in error.value.log
        assert "broken.cu" in error.value.log.splitlines()[0]
        assert "3" in error.value.log.splitlines()[0]
        assert "broken.cu" in str(error.value)


class TestQueue:
    def test_a_timer_tells_milliseconds_of_the_device(
        self, device: Device, session: Any, probe: Path
    ) -> None:
        offers = np.zeros(2_000_000, np.int32)
        memory, program = session.empty(1, np.int32), compiled(device, probe)
        uploaded = session.upload(offers)

        def ms(launches: int) -> float:
            with session.timer() as timer:
                for _ in range(launches):
                    program.launch(
                        "relax_one", (64,), (128,), np.int32(len(offers)), memory, uploaded
                    )
            return timer.ms

        ms(1)
        assert 0 < ms(1) < ms(40)

    def test_a_timer_is_filled_after_an_error_too(self, session: Any) -> None:
        with pytest.raises(RuntimeError, match="midway"), session.timer() as timer:
            raise RuntimeError("midway")
        assert timer.ms >= 0

    def test_worker_threads_share_a_program(self, device: Device, probe: Path) -> None:
        """Each thread counts in memory of its own; arguments of one must not reach
        another's launch.
        """
        program, totals = compiled(device, probe), {}

        def work(name: int) -> None:
            with device.session() as session:
                out = session.upload(np.zeros(1, np.int32))
                for _ in range(50):
                    program.launch("add_one", (1,), (name,), out)
                totals[name] = int(session.download(out)[0])

        threads = [threading.Thread(target=work, args=(name,)) for name in (1, 2, 3, 4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert totals == {1: 50, 2: 100, 3: 150, 4: 200}
