"""A headless Chromium that a test drives by its DevTools protocol, over pipes: no port,
no package.
"""

from __future__ import annotations

import base64
import io
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

PROGRAM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))),
    None,
)
_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu-sandbox",
    # layers of a page are put together without it, in half the time; WebGL is drawn as before
    "--disable-gpu-compositing",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--hide-scrollbars",
    "--no-first-run",
    "--disable-background-networking",
    "--remote-debugging-pipe",
    "--force-device-scale-factor=1",
    "--disable-dev-shm-usage",
    # a page that was left would be kept, with its frames
    "--disable-features=BackForwardCache",
)

# Chromium reads from descriptor 3 and writes to 4; both are moved away first, since
# they may be the pipes' own.
_LAUNCH = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in sys.argv[1:3]]
for end, place in zip(ends, (3, 4)):
    os.dup2(end, place)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Browser:
    """One page; messages are JSON, each ended by a NUL."""

    def __init__(self, profile: Path):
        assert PROGRAM is not None
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        command = [sys.executable, "-c", _LAUNCH, str(theirs_in), str(theirs_out)]
        self._process = subprocess.Popen(
            [*command, PROGRAM, *_FLAGS, f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(theirs_in, theirs_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._out, self._in = os.fdopen(ours_out, "wb"), os.fdopen(ours_in, "rb")
        self._rest, self._last, self._session = b"", 0, ""
        self.events: list[dict[str, Any]] = []
        target = next(t for t in self._targets() if t["type"] == "page")
        self._session = self.call(
            "Target.attachToTarget", targetId=target["targetId"], flatten=True
        )["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def _targets(self) -> list[dict[str, Any]]:
        while True:
            found: list[dict[str, Any]] = self.call("Target.getTargets")["targetInfos"]
            if any(target["type"] == "page" for target in found):
                return found

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._out.close()  # Chromium ends when its pipe is closed
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._in.close()

    def call(self, method: str, **parameters: Any) -> Any:
        """The result of a method of the protocol; raises RuntimeError with its error."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._out.write(json.dumps(message).encode() + b"\0")
        self._out.flush()
        while (answer := self._read()).get("id") != self._last:
            self.events.append(answer)
        if "error" in answer:
            raise RuntimeError(answer["error"]["message"])
        return answer["result"]

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            got = os.read(self._in.fileno(), 1 << 16)
            if not got:
                raise RuntimeError("Chromium ended")
            self._rest += got
        line, _, self._rest = self._rest.partition(b"\0")
        found: dict[str, Any] = json.loads(line)
        return found

    def run(self, script: str) -> Any:
        """The value of an expression in the page, awaited if it is a promise."""
        answer = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(
                answer["exceptionDetails"].get("exception", {}).get("description", str(answer))
            )
        return answer["result"].get("value")

    def open(self, path: Path, width: int = 1400, height: int = 900, *, dark: bool = False) -> None:
        """Open a file from disk in a window of that size, and wait for its picture."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url=path.resolve().as_uri())
        told = "document.getElementById('told')?.hidden === false"
        self.events.clear()
        deadline = time.monotonic() + 60
        while not self.run(
            f"document.readyState === 'complete' && Boolean(window.tautpath || {told})"
        ):
            thrown = [
                event["params"]
                for event in self.events
                if event.get("method") == "Runtime.exceptionThrown"
            ]
            assert not thrown, thrown
            assert time.monotonic() < deadline, "the page is not ready after a minute"
            time.sleep(0.02)
        self.settle()

    def settle(self) -> None:
        """Wait until what is due was drawn."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def click(self, x: float, y: float) -> None:
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.settle()

    def press(self, key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key)
        self.settle()

    @contextmanager
    def in_frame(self) -> Iterator[None]:
        """What is run in the block is run in the page's frame, which is a target of its own."""
        targets = self.call("Target.getTargets")["targetInfos"]
        frame = next(target for target in targets if target["type"] == "iframe")
        outer, attach = self._session, {"targetId": frame["targetId"], "flatten": True}
        self._session = self.call("Target.attachToTarget", **attach)["sessionId"]
        try:
            yield
        finally:
            self._session = outer

    def screenshot(self, path: Path) -> None:
        path.write_bytes(
            base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        )

    def marks(self, ground: str) -> NDArray[np.uint8]:
        """(h, w, 3) of what is drawn over the page's picture, on a ground."""
        script = f"""(() => {{
            const marks = document.getElementById("marks");
            const canvas = document.createElement("canvas");
            [canvas.width, canvas.height] = [marks.width, marks.height];
            const context = canvas.getContext("2d");
            context.fillStyle = "{ground}";
            context.fillRect(0, 0, canvas.width, canvas.height);
            context.drawImage(marks, 0, 0);
            return canvas.toDataURL().split(",")[1];
        }})()"""
        image = Image.open(io.BytesIO(base64.b64decode(self.run(script))))
        return np.asarray(image.convert("RGB"))

    def pixels(self) -> NDArray[np.uint8]:
        """(h, w, 3) of the page's picture, without the marks above it, drawn now."""
        script = """(() => {
            const { width, height } = document.getElementById("pixels");
            const { gl } = tautpath.picture;
            const data = new Uint8Array(width * height * 4);
            tautpath.paint();
            gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, data);
            let letters = "";
            for (let i = 0; i < data.length; i += 8192) {
                letters += String.fromCharCode(...data.subarray(i, i + 8192));
            }
            return [width, height, btoa(letters)];
        })()"""
        width, height, data = self.run(script)
        return np.frombuffer(base64.b64decode(data), np.uint8).reshape(height, width, 4)[
            ::-1, :, :3
        ]
