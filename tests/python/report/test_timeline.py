"""The picture of a profile's ranks over time."""

import re
from pathlib import Path

import msgspec
import numpy as np
import pytest
from recorded import WAIT, profiled, rank

from stretto.cli.main import run_command
from stretto.data.profile_traces import _EVENT
from stretto.data.profiles import _INSTANCE, CallSite, Comm, RankProfile, Traced
from stretto.report.timeline import KINDS

BARRIER = CallSite("MPI_Barrier", "collective", "/bin/app", 96, "main", 0, 1, 0, 600, 600, [])


def traced(folder: Path, number: int, times: np.ndarray, calls: int | None = None) -> RankProfile:
    """A rank of 1000 ns in whose trace are waits from `times` on, of 1 ns each."""
    events = np.zeros(len(times), dtype=_EVENT)
    events["enter"], events["leave"] = times, times + 1
    events["site"], events["calls"] = 1, 1
    (folder / f"rank-{number}.trace").write_bytes(events.tobytes())
    kept = len(times)
    return msgspec.structs.replace(rank(number, 1000), trace=Traced(calls or kept, kept, kept))


def page_of(folder: Path) -> str:
    page = folder.parent / "page.html"
    assert run_command(["report", str(folder), "-o", str(page)]) == 0
    return page.read_text()


def test_a_million_calls_make_no_larger_page(tmp_path: Path) -> None:
    times = np.random.default_rng(1).integers(0, 999, 1_000_000 // 64)
    folder = profiled(tmp_path / "run", [rank(i, 1000, 64) for i in range(64)], {})
    for i in range(64):
        each = msgspec.structs.replace(traced(folder, i, np.sort(times)), size=64)
        (folder / f"rank-{i}.json").write_bytes(msgspec.json.encode(each))
    text = page_of(folder)
    assert text.count('aria-label="rank ') == 64
    assert len(text) < 2_000_000


def test_what_waits_and_what_transfers(tmp_path: Path) -> None:
    """Two ranks meet in a barrier, to which the second comes late; both leave together."""
    folder = profiled(tmp_path / "run", [rank(0, 1000), rank(1, 1000)], {})
    for number, enter in ((0, 200), (1, 600)):
        events = np.zeros(1, dtype=_EVENT)
        events["enter"], events["leave"], events["site"], events["calls"] = enter, 800, 2, 1
        (folder / f"rank-{number}.trace").write_bytes(events.tobytes())
        call = np.zeros(1, dtype=_INSTANCE)
        call["enter"], call["leave"], call["site"], call["root"] = enter, 800, 2, -1
        (folder / f"rank-{number}.collectives").write_bytes(call.tobytes())
        site = msgspec.structs.replace(BARRIER, time_ns=800 - enter)
        each = msgspec.structs.replace(
            rank(number, 1000),
            comms=[Comm("ab", 0, 2, number, False, False, 1, 1)],
            call_sites=[WAIT, WAIT, site],
            trace=Traced(1, 1, 1),
        )
        (folder / f"rank-{number}.json").write_bytes(msgspec.json.encode(each))
    text = page_of(folder)
    early, late = re.findall(r'aria-label="rank \d: ([^"]+)"', text)
    shares = [re.findall(r"([\d.]+) %", words) for words in (early, late)]
    assert shares == [["40.0", "20.0", "40.0", "0.0"], ["80.0", "20.0", "0.0", "0.0"]]
    assert early.startswith("computing 40.0 %, transfer 20.0 %, waiting for late ranks")
    # It computes, waits from 20 % to 60 % of 160 stretches, and then its message goes.
    assert '<path class="waiting" d="M32 0h64v20h-64z"' in text


def test_what_the_trace_lacks_is_blank(tmp_path: Path) -> None:
    folder = profiled(tmp_path / "run", [rank(0, 1000), rank(1, 1000)], {})
    for number in (0, 1):
        each = traced(folder, number, np.array([500, 998]), calls=99)
        (folder / f"rank-{number}.json").write_bytes(msgspec.json.encode(each))
    text = page_of(folder)
    assert "the end of the run alone" in text
    (first, _) = re.findall(r'<path class="computing" d="M(\d+) ', text)
    assert int(first) == 80  # of 160


def test_without_a_trace_there_is_no_picture(tmp_path: Path) -> None:
    folder = profiled(tmp_path / "run", [rank(0, 1000), rank(1, 1000)], {})
    assert 'class="timeline"' not in page_of(folder)


@pytest.mark.parametrize("bytes_", [0, 7, 48])
def test_a_damaged_trace_is_one_line(
    bytes_: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = profiled(tmp_path / "run", [rank(0, 1000), rank(1, 1000)], {})
    for number in (0, 1):
        each = traced(folder, number, np.array([500, 998]))
        (folder / f"rank-{number}.json").write_bytes(msgspec.json.encode(each))
    path = folder / "rank-1.trace"
    path.write_bytes(path.read_bytes()[:bytes_])
    assert run_command(["report", str(folder), "-o", str(tmp_path / "page.html")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_kinds_have_colours_of_their_own(scheme: str) -> None:
    style = Path("python/stretto/report/templates/style.css").read_text()
    light, dark = re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    values = dict(re.findall(r"(--[a-z-]+): (#[0-9a-f]+)", light))
    values |= dict(re.findall(r"(--[a-z-]+): (#[0-9a-f]+)", dark)) if scheme == "dark" else {}
    marks = dict(re.findall(r"\.([a-z]+)(?:, \.efficiency)? \{ --mark: var\((--[a-z]+)\)", style))
    kinds = [*KINDS, "overhead", "hideable"]
    assert len({values[marks[kind]] for kind in kinds}) == len(kinds)
