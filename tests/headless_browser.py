"""A browser without a window that loads a page and says what came of it."""

import html
import json
import os
import re
import shutil
import subprocess
import tempfile
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
