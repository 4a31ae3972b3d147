"""Run folders of whatif, replay, calibrate and simulate as the report shows them."""

import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from recorded import Page
from traced import trace

from stretto.cli.answers_shown import record_of
from stretto.cli.main import run_command
from stretto.data.answer_record import (
    store_calibration,
    store_replay,
    store_simulated,
    write_answer,
)
from stretto.data.calibration import (
    Calibration,
    CollectiveTime,
    LevelTimes,
    MessageTimes,
    Quartiles,
    WorkTime,
)
from stretto.data.replays import Replay
from stretto.data.schedules import Simulated
from stretto.data.trace_sections import store_traces
from stretto.data.virtual_times import Clock, CollectiveCallSite, RankTimes

SITE = CollectiveCallSite("MPI_Bcast", "/bin/<app>", 64, "main", 2, 3, 30, 1e9, 2e9)


def rank(number: int, sim_ns: float = 4e9) -> RankTimes:
    clocks = [Clock("sim", sim_ns), Clock("zero", 3e9), Clock("no communication", 2.5e9)]
    times = RankTimes(number, 2, "Open MPI v4.1.4, Debian", "here", 5, 0, computed_ns=2e9)
    return msgspec.structs.replace(times, clocks=clocks, call_sites=[SITE])


def whatif(folder: Path) -> None:
    for run in range(3):
        for kind in ("normal", "virtual"):
            place = folder / f"{kind}-{run}"
            place.mkdir(parents=True)
            for number in (0, 1):
                times = msgspec.json.encode(rank(number, 4e9 + 1e8 * run))
                (place / f"rank-{number}.json").write_bytes(times)
    write_answer(record_of("whatif", "<app>", 2, ["the machine was busy"], runs=3), folder)


def replay(folder: Path) -> None:
    folder.mkdir()
    store_replay(Replay(None, [rank(0), rank(1)]), folder)
    write_answer(record_of("replay", "<app>", 2, ["<app> on 2 ranks"]), folder)


def several(folder: Path) -> None:
    folder.mkdir()
    store_traces(64, [trace(2), trace(4), trace(8)], folder)
    write_answer(record_of("replay", "<app>", 64, ["<app>: from 2, 4, 8 ranks to 64"]), folder)


def point(algorithm: str, ranks: int, ns: float) -> Simulated:
    return Simulated("bcast", algorithm, ranks, 1, "rounds", ns, ns, ns, ranks, 0, 0, 0)


def simulate(folder: Path) -> None:
    folder.mkdir()
    points = [point("linear", n, 1000.0 * n) for n in (2, 4, 8, 16)]
    points += [point("binomial", n, 1500.0 * n.bit_length()) for n in (2, 4, 8, 16)]
    store_simulated(points, folder)
    write_answer(record_of("simulate", "bcast on <this>", 16), folder)


def calibrate(folder: Path) -> None:
    folder.mkdir()
    times = [Quartiles(ns, ns / 2, 2 * ns) for ns in (500, 5000, 50000)]
    messages = [
        MessageTimes(bytes_, *(each,) * 5)
        for bytes_, each in zip((8, 4096, 65536), times, strict=True)
    ]
    collective = CollectiveTime("bcast", 8, 8, times[0])
    work = [WorkTime(bytes_, times[0], times[0]) for bytes_ in (64, 4096)]
    level = LevelTimes("host", 0, messages)
    store_calibration(
        Calibration("Open MPI", 2, 1, False, [level], [collective], work, times[0]), folder
    )
    write_answer(record_of("calibrate", "<laptop>", 2), folder)


KINDS: dict[Callable[[Path], None], list[str]] = {
    whatif: ["Time of the scenarios", "POP efficiencies", "Collectives by call site", "busy"],
    replay: ["Time of the scenarios", "POP efficiencies", "Collectives by call site"],
    several: ["Until the last rank is done over ranks", "left out of the fit", "2.00 ms log2(p)"],
    simulate: ["Until the last rank is done over ranks", "binomial", "by number of ranks"],
    calibrate: ["An exchange of two ranks over bytes", "level &#39;host&#39;", "Collectives of"],
}


@pytest.mark.parametrize("made", KINDS, ids=lambda made: made.__name__)
def test_each_kind_of_folder_has_its_figures(made: Callable[[Path], None], tmp_path: Path) -> None:
    made(tmp_path / "run")
    assert run_command(["report", str(tmp_path / "run"), "-o", str(tmp_path / "page.html")]) == 0
    text = (tmp_path / "page.html").read_text()
    page = Page()
    page.feed(text)
    assert (page.loaded, page.open) == ([], [])
    assert not {"<app>", "<this>", "<laptop>", "nan", "None"} & set(re.findall(r"<\w+>|\w+", text))
    for words in KINDS[made]:
        assert words in text
    # Each picture says in words what is in it.
    assert all('aria-label="' in svg for svg in re.findall(r"<svg [^>]*>", text))


def test_a_page_of_several_has_contents_and_who_wrote_it(tmp_path: Path) -> None:
    folders = [tmp_path / made.__name__ for made in KINDS]
    for made, folder in zip(KINDS, folders, strict=True):
        made(folder)
    assert run_command(["report", *map(str, folders), "-o", str(tmp_path / "page.html")]) == 0
    text = (tmp_path / "page.html").read_text()
    anchors = re.findall(r'<a href="#([^"]+)">', text)
    assert anchors == re.findall(r'<section [^>]*id="([^"]+)"', text)
    assert len(anchors) == len(KINDS)
    assert re.search(r"Written .* by Stretto \S+", text)


def test_times_have_intervals_and_efficiencies_multiply(tmp_path: Path) -> None:
    whatif(tmp_path / "run")
    assert run_command(["report", str(tmp_path / "run"), "-o", str(tmp_path / "page.html")]) == 0
    text = (tmp_path / "page.html").read_text()
    assert "sim 4.10 s (4.00 s to 4.20 s)" in text
    # 2 s of 4.1 s: all ranks alike, half a second of waiting without communication.
    shares = re.findall(r'class="efficiency" style="width: ([\d.]+)%"', text)
    assert shares == ["48.78", "100.0", "80.0", "60.98"]


@pytest.mark.parametrize("made", KINDS, ids=lambda made: made.__name__)
@pytest.mark.parametrize("damage", ["cut", "other"])
def test_a_damaged_folder_is_one_line(
    made: Callable[[Path], None], damage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made(tmp_path / "run")
    for file in [path for path in (tmp_path / "run").rglob("*") if path.is_file()]:
        whole = file.read_bytes()
        file.write_bytes(whole[: len(whole) // 2] if damage == "cut" else b"{}\n")
        words = ["report", str(tmp_path / "run"), "-o", str(tmp_path / "page.html")]
        assert run_command(words) == 5, file
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert "bug" not in said
        file.write_bytes(whole)


def test_a_replay_without_all_its_ranks_is_refused(tmp_path: Path) -> None:
    replay(tmp_path / "run")
    file = tmp_path / "run" / "replay.jsonl"
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:-1]))
    assert run_command(["report", str(tmp_path / "run"), "-o", str(tmp_path / "page.html")]) == 5


def test_what_is_simulated_is_kept(tmp_path: Path) -> None:
    words = ["simulate", "bcast", "-n", "8", "--machine", "loggopsim"]
    assert run_command([*words, "--output", str(tmp_path / "run")]) == 0
    assert run_command(["report", str(tmp_path / "run"), "-o", str(tmp_path / "page.html")]) == 0
    assert "bcast, 1,048,576 bytes, on LogGOPSim" in (tmp_path / "page.html").read_text()
    assert run_command([*words, "--output", str(tmp_path / "run")]) == 2  # it is not empty
