"""Put machine code into a wheel: ``python .ci/platform_wheel.py dist/tautpath-….whl``.

The wheel is unpacked, its functions are compiled by rehearsing the first minutes of use
for the processor family of this machine, and the wheel is packed again with numba's cache
files, for this version of Python and this platform. The wheel without machine code
remains, for all others.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
USES = ROOT / ".ci" / "first_uses.py"


def main() -> None:
    wheel = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        run("wheel", "unpack", wheel, "--dest", folder)
        (unpacked,) = Path(folder).iterdir()
        compile_all(unpacked)
        count, size = collect(unpacked)
        print(f"{count} files of machine code, {size / 1e6:.1f} MB")
        packed = Path(folder) / "packed"
        packed.mkdir()
        run("wheel", "pack", unpacked, "--dest-dir", packed)
        (result,) = packed.iterdir()
        version = f"cp{sys.version_info.major}{sys.version_info.minor}"
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        tags = ("--python-tag", version, "--abi-tag", version, "--platform-tag", platform)
        run("wheel", "tags", "--remove", *tags, result)
        (tagged,) = packed.iterdir()
        shutil.move(tagged, wheel.parent / tagged.name)
        print(wheel.parent / tagged.name)


def compile_all(unpacked: Path) -> None:
    """Compile into the cache folders beside the sources."""
    sys.path.insert(0, str(ROOT))
    from solvers.system.numba_private import SHARED_VARIABLE
    from solvers.system.packaged_code import NATIVE_VARIABLE, family_of_machine

    with tempfile.TemporaryDirectory() as data:
        environment = os.environ | family_of_machine().settings()
        environment |= {
            NATIVE_VARIABLE: "1",
            "PYTHONPATH": str(unpacked),
            "TAUTPATH_DATA": data,
            "QT_QPA_PLATFORM": "offscreen",
        }
        for elsewhere in ("NUMBA_CACHE_DIR", SHARED_VARIABLE):
            environment.pop(elsewhere, None)
        for program in ((str(unpacked / "main.py"), "compile"), (str(USES),)):
            subprocess.run([sys.executable, *program], cwd=data, env=environment, check=True)


def collect(unpacked: Path) -> tuple[int, int]:
    """Move the cache files to the folder of packaged code; their number and bytes."""
    target = unpacked / "solvers" / "machine_code"
    found = [path for kind in ("nbi", "nbc") for path in unpacked.rglob(f"__pycache__/*.{kind}")]
    size = sum(path.stat().st_size for path in found)
    for path in found:
        folder = target / path.parent.parent.relative_to(unpacked)
        folder.mkdir(parents=True, exist_ok=True)
        path.rename(folder / path.name)
    for cache in list(unpacked.rglob("__pycache__")):
        shutil.rmtree(cache)
    return len(found), size


def run(module: str, *arguments: str | Path) -> None:
    subprocess.run([sys.executable, "-m", module, *map(str, arguments)], check=True)


if __name__ == "__main__":
    main()
