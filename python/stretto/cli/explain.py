"""stretto explain: which algorithm runs a call, and why."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from stretto.cli.consoles import out
from stretto.cli.json_text import as_text
from stretto.cli.options import AsJson, bytes_of
from stretto.cli.simulate_options import RanksPerHostOption
from stretto.cli.tuned_rules import RulesOption, rules_of
from stretto.data.contests import NATIVE
from stretto.data.schedules import Explanation, Priced
from stretto.errors import InputError
from stretto.model.machine import Machine, presets, read_machine
from stretto.native.schedules import explain as ask
from stretto.report.words import seconds, significant, size
from stretto.tune.rules import CollectiveRules

_MOST_RANKS = 1 << 24

_WHY = {
    "tuned": "a rule that stretto tune measured says so",
    "few_ranks": "Stretto's rules for up to 16 ranks, measured between hosts of two, say so",
    "in_memory": "Stretto's rules for up to 64 ranks of one host that share memory, measured with "
    "4, 8 and 16, say so",
    "shared_blocks": "each rank writes its block once, and the others of its host read it there",
    "times": "it is estimated to be the fastest, on the machine that Stretto takes every one for",
    "one_host": "on one host the MPI's ranks meet in shared memory, and nothing here is known "
    "beforehand to be faster for such calls; a run finds out, and so does stretto tune",
    "over_at_once": "between two ranks it is one short message each way, which the MPI's call "
    "sends for less",
    "crowded": "ranks share cores, where only long broadcasts, reductions, allreduces, gathers and "
    "allgathers between hosts were faster",
    "better_elsewhere": "what the MPIs run is estimated to be faster, and is not Stretto's to run "
    "for so many ranks",
}


def explain(
    collective: Annotated[str, typer.Argument(help="bcast, allreduce, ...")],
    ranks: Annotated[
        int, typer.Option("--ranks", "-n", "-np", min=1, max=_MOST_RANKS, help="Ranks taking part.")
    ] = 2,
    length: Annotated[
        str,
        typer.Option(
            "--bytes",
            metavar="SIZE",
            help="The vector's, or one rank's block in gather, scatter, allgather, alltoall and "
            "reduce_scatter.",
        ),
    ] = "0",
    ppn: RanksPerHostOption = None,
    crowded: Annotated[bool, typer.Option("--crowded", help="Ranks share cores.")] = False,
    machine: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Whose times to show: a machine's TOML file, or "
            f"{', '.join(presets())}; otherwise the one that Stretto takes every machine for.",
        ),
    ] = None,
    rules: RulesOption = None,
    as_json: AsJson = False,
) -> None:
    """Say which algorithm `stretto run` takes for a blocking call, why, and what it would cost.

    It asks the code that the ranks ask. Ranks are on hosts of --ppn each, in order; without --ppn
    on those of --machine, or all on one.

    Example: stretto explain allreduce -n 512 --bytes 64K --ppn 16
    """
    where = None if machine is None else read_machine(machine)
    per_host = min(ppn or _ranks_per_host(where) or ranks, ranks)
    if where is not None and where.has_network:
        where = where.with_ranks_per_host(per_host)
    hosts = -(-ranks // per_host)
    tuned = None if rules is None else rules_of(rules)
    options = ["--ranks", str(ranks), "--hosts", str(hosts), "--bytes", str(bytes_of(length))]
    options += ["--crowded"] if crowded else []
    options += ["--rules", tuned.for_the_library()] if tuned is not None else []
    with _written(where) as named:
        answer = ask(collective, options + named)
    if as_json:
        print(as_text(answer))
        return
    for line in _words(answer, per_host):
        out.print(line, markup=False, soft_wrap=True)
    if tuned is not None:
        for line in _evidence(answer, tuned.evidence(collective, ranks, hosts)):
            out.print(line, markup=False, soft_wrap=True)


def _ranks_per_host(machine: Machine | None) -> int | None:
    """Those that the machine has, if it has hosts."""
    if machine is None or not machine.has_network:
        return None
    names = [level.name for level in machine.level]
    if "host" not in names:
        raise InputError(f"--machine: '{machine.name}' has no level 'host'")
    return machine.ranks[names.index("host")]


@contextmanager
def _written(machine: Machine | None) -> Iterator[list[str]]:
    """The native tool's option that names it."""
    if machine is None:
        yield []
        return
    with tempfile.NamedTemporaryFile("w", suffix=".machine", encoding="utf-8") as file:
        file.write(machine.for_the_tool())
        file.flush()
        yield ["--machine", file.name]


def _words(answer: Explanation, per_host: int) -> Iterator[str]:
    own = answer.chosen
    where = f"{answer.hosts} host{'s' if answer.hosts > 1 else ''} of {per_host}"
    what = "" if answer.collective == "barrier" else f" of {size(answer.bytes)}"
    yield f"{answer.collective}{what} on {answer.ranks:,} ranks, {where}:"
    name = "the MPI's own (native)" if own.algorithm == NATIVE else _name(own)
    yield f"  runs       {name}, {_time(own)}"
    yield f"  because    {_WHY.get(answer.basis, answer.reason)}"
    others = [each for each in answer.candidates if each.algorithm != own.algorithm]
    if others:
        # Rules that were measured may choose what is estimated at more.
        is_behind = own.ns is None or others[0].ns is None or others[0].ns >= own.ns
        label = "runner-up" if is_behind else "others"
        yield f"  {label:<9}  {_name(others[0])}, {_time(others[0], own)}"
    for each in others[1:]:
        yield f"             {_name(each)}, {_time(each, own)}"
    classic = answer.classic
    yield f"  classic    {_name(classic)}, {_time(classic, own)}: what MPIs run that nobody tuned"
    yield f"  times      estimates on the machine '{answer.machine}'"


def _name(way: Priced) -> str:
    parts = [way.algorithm]
    if way.segment:
        parts.append(f"in segments of {size(way.segment)}")
    if way.radix > 2:
        parts.append(f"of radix {way.radix}")
    return " ".join(parts)


def _time(way: Priced, chosen: Priced | None = None) -> str:
    if way.ns is None:
        return "of which there is no estimate"
    time = f"about {seconds(way.ns * 1e-9)}"
    if chosen is None or not chosen.ns:
        return time
    return f"{time} ({significant(way.ns / chosen.ns)} times the chosen one's)"


def _evidence(answer: Explanation, found: CollectiveRules | None) -> Iterator[str]:
    """What was measured at the size nearest to the one asked for."""
    if found is None:
        yield "  measured   nothing on so many ranks and hosts: the rules are for others"
        return
    if not found.measured:
        return
    sizes = sorted({each.bytes for each in found.measured})
    nearest = min(sizes, key=lambda bytes_: abs(bytes_.bit_length() - answer.bytes.bit_length()))
    for each in found.measured:
        if each.bytes == nearest:
            spread = f"{significant(each.low_us)} to {significant(each.high_us)}"
            yield (
                f"  measured   {each.algorithm} at {size(each.bytes)}, arrivals {each.pattern}: "
                f"{seconds(each.median_us * 1e-6)} ({spread} µs, {each.rounds} rounds)"
            )
