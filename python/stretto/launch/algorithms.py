"""The collectives and algorithms the library was built with, as its native tool lists them."""

import json
import subprocess

from stretto import native
from stretto.errors import StrettoError


def known_algorithms() -> dict[str, list[str]]:
    """Each collective's algorithms."""
    tool = native.schedule_tool()
    answer = subprocess.run([tool, "list"], capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        raise StrettoError(f"{tool} list failed: {answer.stderr.strip()}")
    known: dict[str, list[str]] = {}
    for line in answer.stdout.splitlines():
        entry = json.loads(line)
        known.setdefault(entry["collective"], []).append(entry["algorithm"])
    return known
