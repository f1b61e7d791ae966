"""Registers Intel's OpenCL CPU runtime, if installed by pip, with the OpenCL loader, in addition to system drivers.

``intel-opencl-rt`` installs ``libintelocl.so`` into ``<prefix>/lib``, but its ``.icd`` file contains a path of Intel's
build machine. Therefore, before ``pyopencl`` is first imported, a folder with a correct ``.icd`` file and copies of the
system's is created, and the loader is pointed at it. Both Linux loaders (ocl-icd, bundled with the PyOpenCL wheels, and
Khronos's) accept a folder in ``OCL_ICD_VENDORS``; ocl-icd does not support ``OCL_ICD_FILENAMES``. The Windows loader
(Khronos's) adds ``OCL_ICD_FILENAMES`` to the drivers in the registry. macOS has its own OpenCL.
"""

from __future__ import annotations

import hashlib
import os
import site
import sys
from collections.abc import Iterable, MutableMapping
from pathlib import Path

from solvers.host.scratch import folder_until_exit

_RUNTIME = {"linux": Path("lib/libintelocl.so"), "win32": Path("Library/bin/intelocl64.dll")}
SYSTEM_VENDORS = Path("/etc/OpenCL/vendors")


def point_loader_at_pip_runtime(environment: MutableMapping[str, str] | None = None) -> None:
    """Set the loader's variables in ``environment`` (default ``os.environ``); variables already set are kept.

    Does nothing if the runtime is not installed, and on systems other than Linux and Windows.
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
    """Path of Intel's CPU runtime in this Python's folders, or None."""
    relative = _RUNTIME.get(sys.platform)
    if relative is None:
        return None
    folders = (sys.prefix, site.getuserbase()) if prefixes is None else prefixes
    return next((p for p in (Path(folder) / relative for folder in folders) if p.exists()), None)


def vendors_folder(runtime: Path) -> Path:
    """Create a folder of ``.icd`` files: copies of the system's, and one that names ``runtime``.

    The folder is in the user's cache; if that is not writable, it is a temporary folder, removed when the program ends.
    A fixed name in a shared folder would let other users choose the libraries that are loaded.

    Raises
    ------
    FileNotWritten
        If the temporary folder cannot be made.
    OSError
        If it cannot be filled.
    """
    wanted = {icd.name: icd.read_text() for icd in sorted(SYSTEM_VENDORS.glob("*.icd")) if os.access(icd, os.R_OK)}
    wanted["tautline-intel-cpu.icd"] = f"{runtime}\n"
    key = hashlib.sha256(repr(wanted).encode()).hexdigest()[:12]  # one folder per set of files; never modified
    folder = _user_cache() / f"opencl-vendors-{key}"
    try:
        _fill(folder, wanted)
    except OSError:
        folder = folder_until_exit("opencl")
        _fill(folder, wanted)
    return folder


def _fill(folder: Path, wanted: dict[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in wanted.items():
        target = folder / name
        if not target.exists() or target.read_text() != text:
            temporary = folder / f"{name}.{os.getpid()}"
            try:
                temporary.write_text(text)
                temporary.replace(target)
            finally:
                temporary.unlink(missing_ok=True)


def _user_cache() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("tautline")
