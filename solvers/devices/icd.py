"""Showing the OpenCL loader the CPU runtime that pip installed, without hiding the drivers of the system.

``intel-opencl-rt`` brings ``libintelocl.so`` into ``<prefix>/lib``, but the ``.icd`` file that should announce it names
a path of Intel's build machine. So a folder of our own is filled with one right ``.icd`` and copies of the system's,
and the loader is pointed at it, before ``pyopencl`` is first imported. Both loaders in use on Linux (ocl-icd, bundled
in the PyOpenCL wheels, and Khronos's) read ``OCL_ICD_VENDORS`` and take a folder; ocl-icd knows no
``OCL_ICD_FILENAMES``. On Windows there is only Khronos's, which adds ``OCL_ICD_FILENAMES`` to the drivers of the
registry. macOS brings its own.
"""

from __future__ import annotations

import hashlib
import os
import site
import sys
import tempfile
from collections.abc import Iterable, MutableMapping
from pathlib import Path

_RUNTIME = {"linux": Path("lib/libintelocl.so"), "win32": Path("Library/bin/intelocl64.dll")}
SYSTEM_VENDORS = Path("/etc/OpenCL/vendors")


def point_loader_at_pip_runtime(environment: MutableMapping[str, str] | None = None) -> None:
    """Set the loader's variables in ``environment`` (default ``os.environ``); a user's own settings are left alone.

    Does nothing where the runtime is not installed, and on other systems.
    """
    environment = os.environ if environment is None else environment
    runtime = pip_runtime()
    if runtime is None:
        return
    if sys.platform == "win32":
        environment.setdefault("OCL_ICD_FILENAMES", str(runtime))
    elif "OCL_ICD_VENDORS" not in environment and "OPENCL_VENDOR_PATH" not in environment:
        environment["OCL_ICD_VENDORS"] = str(vendors_folder(runtime))


def pip_runtime(prefixes: Iterable[str] | None = None) -> Path | None:
    """Intel's CPU runtime in this Python's folders, or None."""
    relative = _RUNTIME.get(sys.platform)
    if relative is None:
        return None
    folders = (sys.prefix, site.getuserbase()) if prefixes is None else prefixes
    return next((p for p in (Path(folder) / relative for folder in folders) if p.exists()), None)


def vendors_folder(runtime: Path) -> Path:
    """A folder of ``.icd`` files: the system's, and one naming ``runtime``.

    It lies in the user's cache; where that cannot be written, in a new temporary folder (a fixed name in a shared
    place would let others choose which libraries we load).
    """
    wanted = {icd.name: icd.read_text() for icd in sorted(SYSTEM_VENDORS.glob("*.icd")) if os.access(icd, os.R_OK)}
    wanted["tautline-intel-cpu.icd"] = f"{runtime}\n"
    key = hashlib.sha256(repr(wanted).encode()).hexdigest()[:12]  # one folder for each set: never changed once written
    folder = _user_cache() / f"opencl-vendors-{key}"
    try:
        _fill(folder, wanted)
    except OSError:
        folder = Path(tempfile.mkdtemp(prefix="tautline-opencl-"))
        _fill(folder, wanted)
    return folder


def _fill(folder: Path, wanted: dict[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in wanted.items():
        target = folder / name
        if not target.exists() or target.read_text() != text:
            beside = folder / f"{name}.{os.getpid()}"
            beside.write_text(text)
            beside.replace(target)


def _user_cache() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("tautline")
