"""The report: one HTML file that needs nothing else, online or off."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from stretto.data.provenance import now, versions
from stretto.data.whole_file import put_whole
from stretto.errors import InputError, writing
from stretto.report import page_size, words
from stretto.report.answer_section import AnswerSection
from stretto.report.bench_section import BenchSection
from stretto.report.comparison import Result
from stretto.report.figures_section import FiguresSection
from stretto.report.plots import order_plot, ratio_plot, times_plots
from stretto.report.profile_section import ProfileSection

_MARK = b"<title>Stretto: "  # as page.html.j2 has it


def write_report(
    results: Sequence[Result],
    path: Path,
    profiles: Sequence[ProfileSection] = (),
    answers: Sequence[AnswerSection] = (),
    benches: Sequence[BenchSection] = (),
    others: Sequence[FiguresSection] = (),
) -> None:
    """Write the page over all `results`, `profiles`, `answers`, `benches` and `others` to `path`.

    Of benches and others less is shown where it would be over 2 MB. Raises InputError where
    something else is there, EnvironmentUnusable where it cannot be written.
    """
    refuse_if_not_ours(path)
    page = page_size.within(
        lambda shown, more: render(results, profiles, answers, shown, more), benches, others
    )
    write_page(page, path)


def write_page(page: str, path: Path) -> None:
    """Write a page to where it may be. Raises EnvironmentUnusable where it cannot be written."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        put_whole(path, page.encode(errors="backslashreplace"))


def refuse_if_not_ours(path: Path) -> None:
    """Raise InputError where something is at `path` that is no report and would be lost."""
    with writing(path):
        if not path.exists() or not (path.is_file() or path.is_dir()):
            return
        with path.open("rb") as file:
            start = file.read(1024)
    if start and _MARK not in start:
        raise InputError(f"{path} is no report of stretto and is not overwritten; name another")


def render(
    results: Sequence[Result],
    profiles: Sequence[ProfileSection] = (),
    answers: Sequence[AnswerSection] = (),
    benches: Sequence[BenchSection] = (),
    others: Sequence[FiguresSection] = (),
) -> str:
    """The page as text."""
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            results=list(results),
            profiles=list(profiles),
            answers=list(answers),
            benches=list(benches),
            others=list(others),
            contents=[*_contents(results, profiles, answers, benches, others)],
            ratios=ratio_plot(list(results)) if results else None,
            times_plots=times_plots,
            order_plot=order_plot,
        )
    )


def environment() -> Environment:
    """Of all pages' templates; they say when they were written, and by which Stretto."""
    templates = Environment(
        loader=PackageLoader("stretto.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters.update(
        seconds=words.seconds,
        calls=words.calls,
        interval=words.interval,
        command=shlex.join,
        shortened=words.shortened,
    )
    templates.globals.update(
        written_at=now(), version=versions().get("stretto", "from its source tree")
    )
    return templates


def _contents(
    results: Sequence[Result],
    profiles: Sequence[ProfileSection],
    answers: Sequence[AnswerSection],
    benches: Sequence[BenchSection],
    others: Sequence[FiguresSection],
) -> Iterator[tuple[str, str]]:
    """Of each section its anchor, as report.html.j2 has it, and what it is of."""
    for number, result in enumerate(results, 1):
        yield f"compare-{number}", f"{result.name}: natively and under Stretto"
    for number, profile in enumerate(profiles, 1):
        yield f"profile-{number}", f"{profile.name}: where its time in MPI goes"
    for number, answer in enumerate(answers, 1):
        yield f"answer-{number}", f"{answer.name}: {answer.title}"
    for number, bench in enumerate(benches, 1):
        yield f"bench-{number}", f"{bench.name}: what collectives cost each rank"
    for number, other in enumerate(others, 1):
        yield f"figures-{number}", f"{other.name}: {other.title}"
