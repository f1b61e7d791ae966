"""Print the Debian packages of missing system libraries that Qt needs; prints an empty
line if none is missing.

Qt's wheels bring Qt itself, but not the X11, EGL and font libraries below it.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys

PACKAGE_OF = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libgomp.so.1": "libgomp1",
}


def is_missing(library: str) -> bool:
    """True if the loader cannot find the library."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return True
    return False


def has_fonts() -> bool:
    """True if fontconfig knows a font; without one Qt draws boxes for letters."""
    if not shutil.which("fc-list"):
        return False
    return bool(subprocess.run(["fc-list"], capture_output=True, check=False).stdout.strip())


def main() -> None:
    if not sys.platform.startswith("linux"):
        return
    packages = {package for library, package in PACKAGE_OF.items() if is_missing(library)}
    if not has_fonts():
        packages |= {"fontconfig", "fonts-dejavu-core"}
    print(" ".join(sorted(packages)))


if __name__ == "__main__":
    main()
