"""Sections of traces of one program, as stretto-replay has them, by known laws."""

from random import Random

from stretto.data.places import Address, Line
from stretto.data.trace_sections import (
    CallShare,
    Section,
    SectionEnd,
    SectionTotal,
    TracedCollective,
    TraceSections,
)

REDUCE = TracedCollective("MPI_Allreduce", "/bin/app", 64, "main")
GATHER = TracedCollective("MPI_Allgather", "/bin/app", 96, "main")
LINES = {Address("/bin/app", 64): Line("main", "/src/app.c", 12)}
START, SEND = SectionEnd("start", -1), SectionEnd("send", -1)


def section(
    begin: SectionEnd,
    end: SectionEnd,
    ns: float,
    ranks: int,
    *,
    count: int = 10,
    size: int = 0,
    share: CallShare = "all",
) -> Section:
    """Each rank takes as long, but the last one a tenth longer than the others."""
    total = SectionTotal(count * ranks, size * count * ranks, ns * ranks)
    most = SectionTotal(count, size * count, 1.1 * ns)
    return Section(begin == end, begin, end, -1, total, most, share)


def trace(ranks: int, noise: float = 0.0, seed: int = 0, *, swapped: bool = False) -> TraceSections:
    """Computing 80 ms / p and 1 ms, an allreduce of 2 ms log2(p), sends of 3 ms."""
    random = Random(f"{ranks} {seed}")

    def ms(value: float) -> float:
        return 1e6 * value * (1 + noise * random.uniform(-1, 1))

    # Traces number call sites in the order in which their ranks came to them.
    sites = [GATHER, REDUCE] if swapped else [REDUCE, GATHER]
    reduce = SectionEnd("collective", sites.index(REDUCE))
    gather = SectionEnd("collective", sites.index(GATHER))
    log = ranks.bit_length() - 1
    sections = [
        section(START, SEND, ms(80 / ranks), ranks),
        section(SEND, SEND, ms(3), ranks, count=3, size=4096 // ranks),
        section(SEND, reduce, ms(1), ranks),
        section(reduce, reduce, ms(2 * log), ranks, size=8),
        section(gather, gather, ms(0.001), ranks),
        section(reduce, gather, ms(0.001), ranks),
        section(gather, SectionEnd("end", -1), ms(0.001), ranks),
    ]
    all_ns = sum(each.all.ns for each in sections)
    return TraceSections(ranks, all_ns / ranks + 5e5, all_ns, sites, sections)
