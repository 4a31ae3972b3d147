"""A browser without a window that loads a page and says what came of it."""

import html
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
HANGS_AFTER_S = 120
_QUIET = (
    "--headless",
    "--no-sandbox",  # as root there is none
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--enable-logging=stderr",
    "--virtual-time-budget=2000",
)
_CONSOLE = re.compile(r"^\[[^\]]*:CONSOLE[^\]]*\] (.*)$", re.MULTILINE)
# What the browser itself asks for, an update say, comes from no page.
_OF_NO_PAGE = "not an origin"
# Goes into a copy of the page, as text of the element that is sought in what became of it.
_MEASURE = """<script>
const shown = %s;
const place = document.createElement("pre");
place.id = "measured";
place.textContent = JSON.stringify(shown);
document.body.append(place);
</script></body>"""


def unusable() -> str | None:
    """Why no page can be loaded here; None if one can."""
    if _browser() is None:
        return f"no {' or '.join(NAMES)}: make browser, or install chromium"
    return None


@dataclass(frozen=True)
class Loaded:
    """What became of a page."""

    console: list[str]  # all that was written to it: errors, warnings
    requests: list[str]  # addresses beyond files that the page asked for
    measured: Any  # what an expression was then


def load(page: Path, *, width: int = 1280, is_dark: bool = False, measure: str = "null") -> Loaded:
    """Load a page that ends in </body>; `measure` is an expression of JavaScript, as JSON has it.

    Raises CalledProcessError or TimeoutExpired where the browser does not come to an end.
    """
    browser = _browser()
    assert browser is not None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy = folder / page.name
        copy.write_text(page.read_text().replace("</body>", _MEASURE % measure))
        log = folder / "net.json"
        ended = subprocess.run(
            [
                browser,
                *_QUIET,
                f"--user-data-dir={folder / 'profile'}",
                f"--window-size={width},900",
                f"--blink-settings=preferredColorScheme={0 if is_dark else 1}",
                f"--log-net-log={log}",
                "--dump-dom",
                copy.as_uri(),
            ],
            env=os.environ | {"HOME": name, "XDG_RUNTIME_DIR": name},
            capture_output=True,
            text=True,
            timeout=HANGS_AFTER_S,
            check=True,
        )
        found = re.search(r'<pre id="measured">(.*?)</pre>', ended.stdout, re.DOTALL)
        assert found, ended.stderr
        return Loaded(
            _CONSOLE.findall(ended.stderr), _requests(log), json.loads(html.unescape(found[1]))
        )


def printed(page: Path, *, width: int, measure: str) -> Any:
    """What `measure` is where a page is laid out for paper, so many CSS pixels wide, on a screen
    that would be dark: by the protocol of the browser's tools, as options have no media.

    Raises TimeoutExpired or EOFError where the browser does not come to an end.
    """
    browser = _browser()
    assert browser is not None
    with tempfile.TemporaryDirectory() as name:
        options = [*_QUIET[:-1], f"--user-data-dir={name}/profile", "--remote-debugging-pipe"]
        # The protocol is spoken on these two.
        command = ["sh", "-c", 'exec "$@" 3<&0 4>&1 </dev/null >&2', "sh", browser, *options]
        with subprocess.Popen(
            command,
            env=os.environ | {"HOME": name, "XDG_RUNTIME_DIR": name},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            assert process.stderr is not None
            hangs = threading.Timer(HANGS_AFTER_S, process.kill)
            log = threading.Thread(target=process.stderr.read, daemon=True)
            hangs.start()
            log.start()
            try:
                return _measured_on_paper(_Protocol(process), page, width, measure)
            finally:
                process.terminate()
                # Its children outlive it for a moment, in which they write into the folder. The log
                # ends with the last of them.
                log.join(HANGS_AFTER_S)
                hangs.cancel()


def _measured_on_paper(protocol: "_Protocol", page: Path, width: int, measure: str) -> Any:
    target = protocol.ask("Target.createTarget", url="about:blank")
    protocol.session = protocol.ask("Target.attachToTarget", flatten=True, **target)["sessionId"]
    dark = {"name": "prefers-color-scheme", "value": "dark"}
    protocol.ask("Emulation.setEmulatedMedia", media="print", features=[dark])
    protocol.ask(
        "Emulation.setDeviceMetricsOverride",
        width=width,
        height=1000,
        deviceScaleFactor=1,
        mobile=False,
    )
    protocol.ask("Page.enable")
    protocol.ask("Page.navigate", url=page.absolute().as_uri())
    protocol.wait_for("Page.loadEventFired")
    answer = protocol.ask("Runtime.evaluate", expression=measure, returnByValue=True)
    assert "exceptionDetails" not in answer, answer
    return answer["result"]["value"]


class _Protocol:
    """Questions to a browser, each of which it answers, and events that come in between."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.session: str | None = None
        self._process = process
        self._events: list[str] = []
        self._asked = 0

    def ask(self, method: str, **parameters: object) -> dict[str, Any]:
        self._asked += 1
        message = {"id": self._asked, "method": method, "params": parameters}
        if self.session is not None:
            message["sessionId"] = self.session
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\0")
        self._process.stdin.flush()
        while (answer := self._next()).get("id") != self._asked:
            self._events.append(answer.get("method", ""))
        assert "error" not in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def wait_for(self, event: str) -> None:
        while event not in self._events:
            self._events.append(self._next().get("method", ""))

    def _next(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        read = bytearray()
        while (byte := self._process.stdout.read(1)) != b"\0":
            if not byte:
                raise EOFError("the browser ended")
            read += byte
        message: dict[str, Any] = json.loads(read)
        return message


def _browser() -> str | None:
    return next(filter(None, map(shutil.which, NAMES)), None)


def _requests(log: Path) -> list[str]:
    """An event is a line of the log."""
    lines = (line.rstrip(",") for line in log.read_text().splitlines() if '"initiator"' in line)
    events = [json.loads(line)["params"] for line in lines if line.startswith("{")]
    return [
        event["url"]
        for event in events
        if event["initiator"] != _OF_NO_PAGE and not event["url"].startswith(("file:", "data:"))
    ]
