"""The loader is shown the pip-installed runtime, and keeps the drivers of the system."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from solvers.devices import opencl
from solvers.devices.opencl import point_loader_at_pip_runtime, vendors_folder

linux_only = pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere the loader is pointed by other means"
)


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A prefix with Intel's library, and a system with one driver of its own."""
    library = tmp_path / "prefix/lib/libintelocl.so"
    library.parent.mkdir(parents=True)
    library.touch()
    system = tmp_path / "vendors"
    system.mkdir()
    (system / "nvidia.icd").write_text("libnvidia-opencl.so.1\n")
    monkeypatch.setattr(opencl, "SYSTEM_VENDORS", system)
    monkeypatch.setattr(opencl, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "prefix"))
    return library


def in_environment(monkeypatch: pytest.MonkeyPatch, **variables: str) -> dict[str, str]:
    """Make the program's environment that of these variables; what it becomes."""
    with monkeypatch.context() as patched:
        patched.setattr(os, "environ", variables)
        point_loader_at_pip_runtime()
    return variables


@linux_only
def test_our_runtime_and_the_systems_drivers_stand_in_one_folder(
    runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = in_environment(monkeypatch)
    folder = Path(environment["OCL_ICD_VENDORS"])
    assert {f.name: f.read_text().strip() for f in folder.iterdir()} == {
        "nvidia.icd": "libnvidia-opencl.so.1",
        "tautpath-intel-cpu.icd": str(runtime),
    }


@linux_only
def test_a_second_start_finds_the_folder_as_it_is(runtime: Path) -> None:
    first = vendors_folder(runtime)
    written = {f: f.stat().st_mtime_ns for f in first.iterdir()}
    assert vendors_folder(runtime) == first
    assert {f: f.stat().st_mtime_ns for f in first.iterdir()} == written


@linux_only
def test_a_changed_system_gets_a_folder_of_its_own(runtime: Path) -> None:
    before = vendors_folder(runtime)
    (opencl.SYSTEM_VENDORS / "nvidia.icd").unlink()
    after = vendors_folder(runtime)
    assert after != before
    assert [f.name for f in after.iterdir()] == ["tautpath-intel-cpu.icd"]


@linux_only
def test_a_cache_that_cannot_be_written_is_done_without(
    runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (runtime.parent / "file").touch()
    monkeypatch.setattr(opencl, "cache_folder", lambda: runtime.parent / "file" / "below-a-file")
    folder = vendors_folder(runtime)
    assert (folder / "tautpath-intel-cpu.icd").read_text().strip() == str(runtime)


@linux_only
@pytest.mark.parametrize("name", ["OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"])
@pytest.mark.usefixtures("runtime")
def test_the_users_own_setting_is_left_alone(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert in_environment(monkeypatch, **{name: "/my/vendors"}) == {name: "/my/vendors"}


def test_nothing_is_set_without_the_runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opencl, "pip_runtime", lambda: None)
    assert in_environment(monkeypatch) == {}


def test_on_windows_the_library_itself_is_added(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = tmp_path / "Library/bin/intelocl64.dll"
    library.parent.mkdir(parents=True)
    library.touch()
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert in_environment(monkeypatch) == {"OCL_ICD_FILENAMES": str(library)}
