"""What `stretto tune` shows: the rules, and what the winners gain."""

from rich.table import Table

from stretto.data.contests import NATIVE
from stretto.report.words import seconds, significant, size
from stretto.tune.rules import CollectiveRules, Evidence, Rule, Tuned, rule_for


def winners(tuned: Tuned) -> Table:
    """A line for each collective, number of ranks, size and pattern of arrivals."""
    patterns = {one.pattern for each in tuned.collective for one in each.measured}
    table = Table(title="what runs each call", title_justify="left")
    for column in ("collective", "ranks", "size", *(["arrivals"] if len(patterns) > 1 else [])):
        table.add_column(column)
    for column in ("runs", "takes", "native", "ratio"):
        table.add_column(column, justify="right")
    for each in tuned.collective:
        for one in each.measured:
            if one.algorithm == NATIVE:
                _add(table, each, one, shows_pattern=len(patterns) > 1)
    return table


def _add(table: Table, of: CollectiveRules, usual: Evidence, *, shows_pattern: bool) -> None:
    rule = rule_for(of.rule, usual.bytes)
    winner = next(
        one
        for one in of.measured
        if (one.bytes, one.pattern) == (usual.bytes, usual.pattern) and _is_of(one, rule)
    )
    table.add_row(
        of.name,
        str(of.ranks) if of.hosts == 1 else f"{of.ranks} on {of.hosts} hosts",
        size(usual.bytes) if of.name != "barrier" else "",
        *([usual.pattern] if shows_pattern else []),
        winner.algorithm,
        seconds(winner.median_us * 1e-6),
        seconds(usual.median_us * 1e-6),
        significant(usual.median_us / winner.median_us),
    )


def _is_of(one: Evidence, rule: Rule) -> bool:
    mine = (one.algorithm, one.segment_bytes, one.radix)
    return mine == (rule.algorithm, rule.segment_bytes, rule.radix)
