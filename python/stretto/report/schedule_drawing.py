"""A schedule as a picture: one lane a rank, time to the right, an arrow a message.

Where the layout is known, ranks of a host lie together, on a band of their own.
"""

import itertools
from collections.abc import Iterator
from html import escape
from math import hypot

from stretto.data.schedules import Schedule, Step

_LEFT = 78.0  # room for the ranks' names
_RIGHT = 24.0
_TOP = 76.0  # room for the title
_BOTTOM = 40.0  # room for the legend
_LANE = 46.0
_BOX = 14.0  # height of a reduction
_ARROW = 8.0
_WIDTH = 1400.0  # what a picture should not need to exceed,
_NARROWEST_UNIT = 14.0  # unless messages became too short to see
_WIDEST_UNIT = 90.0

_STYLE = """
text{font:13px system-ui,sans-serif;fill:#222}
.title{font-size:17px;font-weight:600}.quiet{fill:#666}
.lane{stroke:#bbb;stroke-width:1.5}.over{stroke:#ddd;stroke-dasharray:2 4}
.message line{stroke-width:1.8}.hover{stroke:transparent;stroke-width:11}
.signal line{stroke-dasharray:5 3}
g:hover>line{stroke-width:3.4}g:hover>.hover{stroke-width:11}
.host{fill:#eef3f8}
.copy{fill:#fff;stroke:#444;stroke-width:1.5}.reduce{fill:#f4b740;stroke:#8a5a00}
"""


class _Plan:
    """Where ranks and times lie."""

    def __init__(self, schedule: Schedule) -> None:
        span = max(schedule.end, 1.0)
        wanted = (_WIDTH - _LEFT - _RIGHT) / span
        self.unit = min(max(wanted, _NARROWEST_UNIT), _WIDEST_UNIT)
        self.width = max(_LEFT + span * self.unit + _RIGHT, 560.0)
        self.height = _TOP + schedule.size * _LANE + _BOTTOM
        lanes = sorted(range(schedule.size), key=lambda rank: _place(schedule, rank))
        self.lane_of = {rank: lane for lane, rank in enumerate(lanes)}

    def x(self, time: float) -> float:
        return _LEFT + time * self.unit

    def y(self, rank: int) -> float:
        return _TOP + (self.lane_of[rank] + 0.5) * _LANE


def _place(schedule: Schedule, rank: int) -> list[int]:
    """What ranks lie in the order of: the farthest level's group, ..., the rank itself."""
    return [*(level.group_of[rank] for level in reversed(schedule.layout)), rank]


def draw(schedule: Schedule) -> str:
    """The picture as SVG text."""
    plan = _Plan(schedule)
    width, height = f"{plan.width:.0f}", f"{plan.height:.0f}"
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}>',
        f"<style>{_STYLE}</style>",
        '<rect width="100%" height="100%" fill="#fff"/>',
        *_heading(schedule),
        *_hosts(schedule, plan),
        *_lanes(schedule, plan),
        *_messages(schedule, plan),
        *_local_steps(schedule, plan),
        *_legend(plan),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _heading(schedule: Schedule) -> Iterator[str]:
    yield _text(16, 28, f"{schedule.collective} {schedule.algorithm}", "title")
    ranks = f"{schedule.size} rank{'' if schedule.size == 1 else 's'}"
    facts = [ranks, f"{schedule.count:,} elements", f"{schedule.cost.messages:,} messages"]
    yield _text(
        16, 50, ", ".join(facts) + f"; critical path {schedule.cost.critical_path}", "quiet"
    )


def _hosts(schedule: Schedule, plan: _Plan) -> Iterator[str]:
    host = next((each.group_of for each in schedule.layout if each.level == "host"), None)
    if host is None:
        return
    lanes = itertools.groupby(plan.lane_of, key=host.__getitem__)
    for number, ranks in lanes:
        first, *others = ranks
        top, height = plan.y(first) - _LANE / 2, (1 + len(others)) * _LANE
        yield (
            f'<rect class="host" x="6" y="{top + 2:.1f}" width="{plan.width - 12:.1f}"'
            f' height="{height - 4:.1f}" rx="6"/>'
        )
        yield _text(16, top + 15, f"host {number}", "quiet")


def _lanes(schedule: Schedule, plan: _Plan) -> Iterator[str]:
    for rank, own in enumerate(schedule.ranks):
        y = plan.y(rank)
        left = plan.x(max((step.end for step in own.steps), default=0.0))
        yield _text(16, y + 4.5, f"rank {rank}")
        yield _line(plan.x(0), y, left, y, 'class="lane"')
        yield _line(left, y, plan.x(max(schedule.end, 1.0)), y, 'class="lane over"')


def _messages(schedule: Schedule, plan: _Plan) -> Iterator[str]:
    receives = {
        (step.peer, rank, step.ordinal): step
        for rank, own in enumerate(schedule.ranks)
        for step in own.steps
        if step.kind == "recv"
    }
    for rank, own in enumerate(schedule.ranks):
        for step in own.steps:
            if step.kind == "send":
                received = receives[rank, step.peer, step.ordinal]
                yield _message(schedule, plan, rank, step, received)


def _message(schedule: Schedule, plan: _Plan, rank: int, sent: Step, received: Step) -> str:
    x1, y1 = plan.x(sent.start), plan.y(rank)
    x2, y2 = plan.x(sent.end), plan.y(sent.peer)
    colour = f"hsl({360 * rank // schedule.size},65%,42%)"
    what = f"{sent.source} to {received.target}" if sent.count else "a signal"
    title = f"rank {rank} to rank {sent.peer}: {what}, {sent.count:,} elements"
    kind = "message" if sent.count else "message signal"
    length = hypot(x2 - x1, y2 - y1)
    along = ((x2 - x1) / length, (y2 - y1) / length)
    # The line ends where the head begins, or its blunt end would show beside the tip.
    neck = (x2 - along[0] * _ARROW, y2 - along[1] * _ARROW)
    return (
        f'<g class="{kind}"><title>{escape(title)}</title>'
        + _line(x1, y1, x2, y2, 'class="hover"')
        + _line(x1, y1, *neck, f'stroke="{colour}"')
        + _head((x2, y2), neck, along, colour)
        + "</g>"
    )


def _head(
    tip: tuple[float, float], neck: tuple[float, float], along: tuple[float, float], colour: str
) -> str:
    across = (-along[1] * _ARROW * 0.42, along[0] * _ARROW * 0.42)
    corners = (
        tip,
        (neck[0] + across[0], neck[1] + across[1]),
        (neck[0] - across[0], neck[1] - across[1]),
    )
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    return f'<polygon points="{points}" fill="{colour}"/>'


def _local_steps(schedule: Schedule, plan: _Plan) -> Iterator[str]:
    for rank, own in enumerate(schedule.ranks):
        for step in own.steps:
            if step.kind in ("copy", "reduce") and step.count:
                yield _box(plan, rank, step)


def _box(plan: _Plan, rank: int, step: Step) -> str:
    # A copy takes no time in the model, yet should be seen.
    width = max((step.end - step.start) * plan.unit, 6.0)
    height = _BOX if step.kind == "reduce" else _BOX * 0.6
    x = plan.x(step.start)
    title = f"rank {rank}: {step.words}, {step.count:,} elements"
    return (
        f'<rect class="{step.kind}" x="{x:.1f}" y="{plan.y(rank) - height / 2:.1f}"'
        f' width="{width:.1f}" height="{height:.1f}" rx="2"><title>{escape(title)}</title></rect>'
    )


def _legend(plan: _Plan) -> Iterator[str]:
    y = plan.height - 18
    yield f'<rect class="reduce" x="16" y="{y - 11:.1f}" width="18" height="14" rx="2"/>'
    yield _text(40, y, "reduce", "quiet")
    yield f'<rect class="copy" x="100" y="{y - 8:.1f}" width="6" height="8" rx="2"/>'
    yield _text(114, y, "copy", "quiet")
    note = "arrows: messages, coloured by sender; time in the uniform alpha-beta-gamma model"
    yield _text(160, y, note, "quiet")


def _text(x: float, y: float, words: str, style: str = "") -> str:
    of_class = f' class="{style}"' if style else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{of_class}>{escape(words)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, attributes: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {attributes}/>'
