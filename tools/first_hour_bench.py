"""Verbs that need no program of the user's. For tools/first_hour.py."""

from __future__ import annotations

from first_hour_promises import Says, Step

_CLI = "docs/cli.md"
_MEASURED = "bench"
BENCH = (
    Step(
        "info",
        "stretto info",
        says=(
            Says(
                r"openmpi|mpich|mpiabi",
                _CLI,
                "`stretto info` says which variants were built, and which MPIs it finds for each",
            ),
            Says("STRETTO_VERBOSE", _CLI, "`stretto info` lists every setting"),
        ),
    ),
    Step(
        "what compiles and links",
        "stretto info --cflags --libs",
        says=(
            Says(r"-I\S+ .*-lstretto-(openmpi|mpich)", "docs/c.md", "stretto info --cflags --libs"),
        ),
    ),
    Step(
        "schedule list",
        "stretto schedule list bcast --export-csv list.csv && head -n 1 list.csv",
        says=(
            Says("bcast binomial", _CLI, "the algorithms: what there is"),
            Says("table,collective,algorithm", _CLI, "`schedule list`, `show` and"),
        ),
    ),
    Step(
        "schedule show",
        "stretto schedule show bcast --algorithm binomial -n 4 --bytes 1K --svg it.svg && "
        "head -c 4 it.svg",
        says=(
            Says(r"critical path 2 alpha \+ 256 beta", "docs/schedules.md", "critical path"),
            Says("<svg", "stretto schedule show --help", "Draw it there"),
        ),
    ),
    Step(
        "schedule verify",
        "stretto schedule verify bcast --max-ranks 4",
        says=(Says(r"bcast binomial \d+ proven", _CLI, "step by step, proven"),),
    ),
    Step(
        "simulate",
        "stretto simulate allreduce -n 64 --bytes 64K --machine ethernet-10g --ppn 16 "
        "--plot it.svg --output simulated && stretto report simulated && ls it.svg",
        says=(
            Says("allreduce, 65,536 bytes, on 10 Gbit Ethernet, 64 ranks", _CLI, "times the alg"),
            Says(r"rabenseifner .* 1\.00x", _CLI, "times the algorithms in virtual time"),
            Says("Report: report.html", _CLI, "the scaling curve, times by algorithm"),
        ),
    ),
    Step(
        "explain",
        "stretto explain allreduce -n 512 --bytes 64K --ppn 16",
        says=(
            Says("runs rabenseifner", "docs/tune.md", "runs rabenseifner, about 253 µs"),
            Says("because .* runner-up .* classic", "docs/tune.md", "what MPIs run that nobody"),
        ),
    ),
    Step(
        _MEASURED,
        "stretto bench bcast -n 2 --sizes 64,1K --launches 2 --impl native,stretto -o first",
        says=(
            Says("non-root (native|stretto)", "docs/bench.md", "the root and the others are apart"),
            Says("valid", "docs/bench.md", "The share that is valid is always shown"),
            Says("Warning: after 2 launches no difference", "docs/bench.md", "Comparisons are"),
        ),
    ),
    Step(
        "bench show",
        "stretto bench show first --export-csv first.csv && stretto report first --plots figures "
        "&& ls figures",
        after=(_MEASURED,),
        says=(
            Says("bcast: 2 ranks, 2 launches", "docs/bench.md", "`stretto bench show RUN` does so"),
            Says(r"\.pdf .*\.png .*\.svg", _CLI, "as SVG, PNG and PDF for papers"),
        ),
    ),
    Step(
        "bench repeat",
        "stretto bench repeat first -o second",
        after=(_MEASURED,),
        says=(
            Says("Of 8 comparisons", "stretto bench repeat --help", "and compare both"),
            Says("with 2 launches on a side no difference", "docs/bench.md", "too few launches"),
        ),
    ),
    Step(
        "bench compare",
        "stretto bench compare first second",
        after=("bench repeat",),
        says=(Says("Of 8 comparisons", "docs/bench.md", "What is alike is compared"),),
    ),
    Step(
        "bench check",
        "stretto bench check first second",
        after=("bench repeat",),
        says=(Says("Of 8 checked nothing is worse", "stretto bench check --help", "else with 0"),),
    ),
    Step(
        "bench history",
        "stretto bench history . -o history.html",
        after=("bench repeat",),
        says=(Says("2 runs, 8 lines", "CHANGELOG.md", "makes a page of many runs"),),
    ),
    Step(
        "bench guidelines",
        "stretto bench guidelines first",
        after=(_MEASURED,),
        says=(Says(r"Of \d+ checked none is violated|violat", "docs/bench.md", "Guidelines"),),
    ),
    Step(
        "bench model",
        "stretto bench model first --machine ethernet-10g",
        after=(_MEASURED,),
        says=(Says("floor", "docs/bench.md", "The *floor* is what the bytes"),),
    ),
    Step(
        "bench calls",
        "stretto bench calls barrier -n 2 --launches 1",
        says=(Says("its first call in a fresh process", "docs/bench.md", "in a fresh process"),),
    ),
    Step(
        "bench plans",
        "stretto bench plans && stretto bench --plan late-rank --dry-run",
        says=(
            Says("gather-cliff", "docs/bench.md", "`stretto bench plans` lists those that come"),
            Says("launches of each", "stretto bench run --help", "Print what would be measured"),
        ),
    ),
    Step(
        "bench import",
        r"""printf '# OSU MPI Broadcast Latency Test\n# Size  Avg Latency(us)\n1  1.5\nodd\n' """
        "> osu.txt && stretto bench import osu.txt",
        says=(
            Says("bcast 1 B .* 1.50 µs", "docs/bench.md", "has each value with its operation"),
            Says(r"1 line is unknown .* 4: odd", "docs/bench.md", "of what is none of these the"),
        ),
    ),
)  # fmt: skip
