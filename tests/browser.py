"""A headless Chromium, driven through two pipes: no driver and no library is needed."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
REQUIRED = "RETRACE_REQUIRE_BROWSER"
"""Variable of the environment, set in CI, with which a test fails that lacks Chromium or npm's packages."""
PATIENCE = 60.0
"""Seconds that an answer may take on a busy machine."""


def lack(what: str, install: str) -> None:
    """Skip a test for want of something, or fail it where it is required."""
    if os.environ.get(REQUIRED):
        pytest.fail(f"no {what}, which {REQUIRED} requires: {install}", pytrace=False)
    pytest.skip(f"no {what}: {install}")


class Browser:
    """A window on one page; `messages` are what its console and its errors say."""

    def __init__(self, folder: Path) -> None:
        assert CHROMIUM is not None
        theirs_in, self._to = os.pipe()
        self._from, theirs_out = os.pipe()
        options = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--remote-debugging-pipe",
        ]
        # Chromium reads commands from its file descriptor 3 and writes answers to 4.
        moved = f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}'
        self._process = subprocess.Popen(
            ["bash", "-c", moved, "bash", CHROMIUM, *options, f"--user-data-dir={folder}", "about:blank"],
            pass_fds=(theirs_in, theirs_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._left, self._number, self._session = b"", 0, ""
        self.messages: list[str] = []
        targets = self.call("Target.getTargets")["targetInfos"]
        (page,) = [target["targetId"] for target in targets if target["type"] == "page"]
        self._session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._to)
        os.close(self._from)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the DevTools protocol and return its result."""
        self._number += 1
        asked: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            asked["sessionId"] = self._session
        os.write(self._to, json.dumps(asked).encode() + b"\0")
        while True:
            told = self._read()
            if told.get("id") == self._number:
                assert "error" not in told, (method, told["error"])
                return dict(told["result"])
            self._note(told)

    def _read(self) -> dict[str, Any]:
        deadline = time.monotonic() + PATIENCE
        while b"\0" not in self._left:
            assert select.select([self._from], [], [], deadline - time.monotonic())[0], (
                "Chromium does not answer"
            )
            part = os.read(self._from, 2**20)
            assert part, "Chromium ended"
            self._left += part
        message, _, self._left = self._left.partition(b"\0")
        return dict(json.loads(message))

    def _note(self, told: dict[str, Any]) -> None:
        match told.get("method"):
            case "Runtime.consoleAPICalled":
                self.messages.append(str(told["params"]["args"]))
            case "Runtime.exceptionThrown":
                self.messages.append(str(told["params"]["exceptionDetails"]))
            case "Log.entryAdded":
                self.messages.append(told["params"]["entry"]["text"])
            case "Network.requestWillBeSent" if not told["params"]["request"]["url"].startswith(
                ("file:", "data:")
            ):
                self.messages.append(f"request: {told['params']['request']['url']}")

    def open(self, address: str) -> None:
        """Load a page, and wait until its scripts have run."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=address)
        deadline = time.monotonic() + PATIENCE
        while self.run("document.readyState + location.protocol") != "completefile:":
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def run(self, script: str) -> Any:
        """Return the value of a JavaScript expression."""
        done = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def wait_for(self, script: str, wanted: Any) -> None:
        """Wait until an expression has a value: events such as `hashchange` come after what causes them."""
        deadline = time.monotonic() + 10
        while (found := self.run(script)) != wanted:
            assert time.monotonic() < deadline, f"{script}: {found!r}, expected {wanted!r}"
            time.sleep(0.02)

    def press(self, key: str) -> None:
        """Press a key on what has the focus."""
        text = {"Enter": "\r"}.get(key, "")
        code = {"Enter": 13, "Escape": 27, "Tab": 9}[key]
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key, text=text, windowsVirtualKeyCode=code
            )

    def look(self, width: int, height: int = 900, *, dark: bool = False, media: str = "screen") -> None:
        """Set the window's size, the colours that the reader prefers, and the medium."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        colours = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[colours])

    def picture(self, path: Path) -> None:
        """Save what the window shows."""
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))
