"""Each verb as it is meant, on a program. For tools/first_hour.py."""

from __future__ import annotations

from first_hour_promises import Says, Step

_ANSWERS = Says("checksum -?[0-9.]+", "docs/cli.md", "`checksum 1f2e3d` (every such line)")
_SHORT = "STRETTO_CALIBRATE_PERCENT=10"

VERBS = (
    Step("run", "stretto run -n 2 $APP", says=(_ANSWERS,), every_mpi=True),
    Step(
        "run --verbose",
        "stretto run -np 2 --verbose $APP",
        says=(
            Says(
                r"MPI_Iallreduce(_c)? 20 (handled by \w+|passed to the MPI: no progress thread)",
                "docs/cli.md",
                "prints at the end what was handled by which algorithm, and what was passed to "
                "the MPI and why",
            ),
            Says("MPI_(Allreduce|Bcast) .*(handled by|passed to)", "README.md", "a list of what"),
        ),
        every_mpi=True,
    ),
    Step(
        "run an algorithm",
        "stretto run -n 2 --algorithm allreduce=ring --verbose $APP",
        says=(Says("MPI_Iallreduce 20 handled by ring", "docs/cli.md", "Forcing an algorithm"),),
    ),
    Step(
        "leave it to the MPI",
        "stretto run -n 2 --algorithm allreduce=native --verbose $APP",
        says=(
            Says(
                "MPI_Iallreduce 20 passed to the MPI: asked for",
                "docs/faq.md",
                '"expected to be faster" is Stretto\'s choice, "asked for" is yours',
            ),
        ),
    ),
    Step(
        "the plain line",
        'eval "$(stretto run -n 2 --dry-run $APP)"',
        says=(_ANSWERS,),
        before="stretto run -n 2 --dry-run $APP | grep LD_PRELOAD",
    ),
    Step(
        "compare",
        "stretto compare -n 2 --runs 1 --warmup 1 --output compared "
        "--export-markdown compared.md --export-csv compared.csv $APP 100",
        says=(
            Says("same answers: checksum", "docs/tutorial.md", "same answers: checksum"),
            Says(
                r"MPI_Iallreduce(_c)? (\w+|the MPI: no progress thread) 200",
                "docs/tutorial.md",
                "Calls a launch, all ranks",
            ),
            Says("Report: report.html Run folder: compared", "docs/tutorial.md", "Report: report"),
            Says(
                "1 run a side: chance alone",
                "stretto compare --help",
                "fewer than 6 show no gain or loss",
            ),
        ),
        never=(r"as fast under Stretto", "Slower"),
        every_mpi=True,
    ),
    Step(
        "what compare left",
        "ls compared compared/launches/* && cat compared.md && head -n 2 compared.csv",
        after=("compare",),
        says=(
            Says("run.json samples.parquet", "docs/cli.md", "`samples.parquet`: one row a launch"),
            Says(
                r"\| own time \|.*same answers",
                "docs/cli.md",
                "`compare` (in Markdown with the verdict)",
            ),
            Says("table,", "docs/cli.md", "the first column says which table a row is of"),
        ),
    ),
    Step(
        "compare --json",
        "stretto compare -n 2 --runs 2 --json $APP | python3 -c "
        "\"import json, sys; print('finding', json.load(sys.stdin)['verdict']['finding'])\"",
        says=(
            Says(
                "finding too few pairs", "docs/cli.md", "`too few pairs`, `nothing handled` or"
            ),
        ),
    ),
    Step(
        "profile",
        "stretto profile -n 2 --trace --matrix --depth 2 --output profiled $APP 100",
        after=("compare",),
        says=(
            Says(r"2 ranks, .* of it in MPI", "docs/profile.md", "of it in MPI"),
            Says(
                r"Iallreduce .*app\.(c|f90|py):\d+",
                "docs/profile.md",
                "A line is known where the program has debug information",
            ),
            Says(
                r"Sendrecv .*app\.(c|f90|py):\d+", "docs/profile.md", "those of Python programs in "
                "the line that calls mpi4py",
            ),
            Says(r":\d+ <- .*app\.", "docs/profile.md", "`Allreduce solve:17 <- sum paths.c:11`"),
            Says("late sender late receiver transfer", "docs/profile.md", "late receiver"),
            Says("overlap of what starts at", "docs/profile.md", "overlap of what starts at"),
            Says("collectives used, a rank:", "docs/profile.md", "collectives used, a rank:"),
            Says("next: ", "docs/profile.md", "next: "),
            Says("messages", "docs/profile.md", "`--matrix` adds a table of who sends how much"),
        ),
        every_mpi=True,
    ),
    Step(
        "calibrate",
        f"{_SHORT} stretto calibrate -n 2 -o here.toml --run-folder calibrated $APP",
        after=("compare",),
        says=(Says("Machine: here.toml", "docs/tutorial.md", "Machine: here.toml"),),
        every_mpi=True,
    ),
    Step(
        "whatif",
        "stretto whatif -n 2 --runs 1 --machine here.toml --record app.trace --output asked "
        "--scenario fast:network.latency=2us,network.bandwidth=100Gbit $APP 100",
        after=("calibrate",),
        says=(
            Says(
                "normal .* sim .* zero .* no communication .* fast ",
                "docs/whatif.md",
                "`--scenario NAME:SETTING,...` adds one, up to nine",
            ),
            Says("sim is .* from normal", "docs/whatif.md", "sim is 1.9 % from normal"),
            Says(
                r"Iallreduce(_c)? app\.(c|f90|py):\d+",
                "docs/whatif.md",
                "Call sites of Python programs are the lines that call mpi4py",
            ),
            Says(
                "(worth it|hardly|not worth|no verdict)",
                "docs/whatif.md",
                "The verdict is a number with its uncertainty",
            ),
            Says("Trace: app.trace", "docs/tutorial.md", "Trace: transpose.trace"),
        ),
        never=(r"PyInit_MPI",),
        every_mpi=True,
    ),
    Step(
        "replay",
        "stretto replay app.trace --output replayed",
        after=("whatif",),
        says=(
            Says(
                "exactly",
                "docs/replay.md",
                "every clock shows exactly what it showed in the run, and the first lines say so",
            ),
            Says("sim .* fast ", "docs/replay.md", "in the scenarios of that run"),
        ),
        every_mpi=True,
    ),
    Step(
        "replay elsewhere",
        "stretto replay app.trace --machine ethernet-10g --ppn 1 --network-tolerance "
        "--export-goal app.goal",
        after=("whatif",),
        says=(
            Says("on each host: 1 of the ranks", "docs/replay.md", "so many on each host, which"),
            Says("sim .* zero ", "docs/replay.md", "in the scenarios of that run"),
            Says(r"it bears .* before it is 1\.0 % slower", "docs/replay.md", "it bears 763 ns"),
        ),
    ),
    Step(
        "replay on its hosts",
        "stretto replay app.trace --machine ethernet-10g",
        after=("whatif",),
        says=(
            Says(
                "(on each host|hosts?)",
                "docs/replay.md",
                "there ranks are on hosts as in the run, or, with `--ppn` or `--hosts`, so many "
                "on each host, which a line says",
            ),
        ),
    ),
    Step(
        "replay a GOAL schedule",
        "stretto replay app.goal --machine infiniband-100g --ppn 1",
        after=("replay elsewhere",),
        says=(Says("sim ", "docs/replay.md", "runs such a schedule, of whomever"),),
    ),
    Step(
        "tune",
        "stretto tune -n 2 --collectives allreduce --sizes 8 --rounds 2 --launches 1 "
        "--native-algorithms -o tuned.toml $APP",
        after=("compare",),
        says=(
            Says("what runs each call", "docs/tutorial.md", "what runs each call"),
            Says("Rules: tuned.toml", "docs/tutorial.md", "Rules: tuned.toml"),
        ),
        every_mpi=True,
    ),
    Step(
        "run by rules",
        "stretto run -n 2 --rules tuned.toml $APP",
        after=("tune",),
        says=(_ANSWERS,),
        every_mpi=True,
    ),
    Step(
        "export",
        "stretto export tuned.toml --to $ITS_MPI -o rules",
        after=("tune",),
        says=(
            Says("rules", "docs/tune.md", "`export` says how each file is used"),
        ),
        every_mpi=True,
    ),
    Step(
        "report",
        "stretto report compared profiled asked replayed calibrated -o all.html && "
        "grep -o 'Contents\\|by Stretto [^<]*' all.html && ! grep 'src=.http' all.html",
        after=("compare", "profile", "whatif", "replay"),
        says=(
            Says("Report: all.html", "docs/cli.md", "and needs nothing but itself, online or off"),
            Says("Contents", "CHANGELOG.md", "A page of several has a list of contents"),
            Says("by Stretto ", "CHANGELOG.md", "says which Stretto wrote it"),
        ),
    ),
)  # fmt: skip
