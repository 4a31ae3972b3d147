"""The report: one HTML file that needs nothing else, online or off."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from stretto.data.provenance import now
from stretto.report import words
from stretto.report.comparison import Result
from stretto.report.plots import order_plot, ratio_plot, times_plots
from stretto.report.profile_section import ProfileSection


def write_report(
    results: Sequence[Result], path: Path, profiles: Sequence[ProfileSection] = ()
) -> None:
    """Write the page over all `results` and `profiles` to `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(render(results, profiles), encoding="utf-8")


def render(results: Sequence[Result], profiles: Sequence[ProfileSection] = ()) -> str:
    """The page as text."""
    templates = Environment(
        loader=PackageLoader("stretto.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters.update(
        seconds=words.seconds, calls=words.calls, interval=words.interval, command=shlex.join
    )
    return templates.get_template("report.html.j2").render(
        results=list(results),
        profiles=list(profiles),
        written_at=now(),
        ratios=ratio_plot(list(results)) if results else None,
        times_plots=times_plots,
        order_plot=order_plot,
        verdict=words.verdict,
    )
