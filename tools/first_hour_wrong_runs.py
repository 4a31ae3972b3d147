"""Programs that do what verbs do not expect, and runs that are disturbed. For
tools/first_hour.py."""

from __future__ import annotations

from first_hour_promises import Says, Step

_CLI = "docs/cli.md"
_WHATIF = "docs/whatif.md"
_PROFILE = "docs/profile.md"
_RUN = "--runs 1"
_MACHINE = "--machine ethernet-10g"
_C = ("C",)
# A launch of it takes a second or two.
_LONG = {"C": "8000", "Fortran": "8000", "Python": "4000"}

INPUT = (
    Step(
        "compare reads what is piped",
        "echo 7 | stretto compare --runs 2 --output it $APP 20 reads && "
        "cat it/launches/*/std* | grep steps",
        says=(
            Says(
                "same answers.*(steps 7.*){4}",
                _CLI,
                "Every launch of `compare` and `whatif` reads the same standard input",
            ),
        ),
        every_mpi=True,
    ),
    Step(
        "whatif reads what is piped",
        f"echo 7 | stretto whatif --runs 2 {_MACHINE} --output it $APP 20 reads && "
        "grep -rh steps it",
        says=(Says("(steps 7.*){4}", _WHATIF, "[the same standard input](cli.md#comparing)"),),
        never=("did not do the same",),
    ),
    Step(
        "run and profile read what is piped",
        "echo 7 | stretto run $APP 20 reads && echo 7 | stretto profile $APP 20 reads",
        says=(
            Says("steps 7 .*steps 7", _CLI, "files, pipes and `/dev/null` are handed down"),
        ),
    ),
)  # fmt: skip

VERDICTS = (
    Step(
        "no collectives at all", f"stretto compare {_RUN} $APP 20 quiet",
        says=(
            Says("Stretto handled none of the calls", _CLI, "`nothing handled` or `not loaded`"),
        ),
        never=("as fast under Stretto", "Slower", "Calls a launch"),
    ),
    Step(
        "the same twice",
        "stretto compare --runs 6 --algorithm allreduce=native --algorithm bcast=native $APP",
        says=(
            Says("Stretto handled none of the calls", _CLI, "and Stretto handled calls; so on two"),
            Says("96.9 % interval", _CLI, "96.9 % with 6"),
        ),
        never=("as fast under Stretto", "Slower"),
        languages=_C,
    ),
    Step(
        "answers that differ", f"stretto compare {_RUN} $APP 20 noisy", 3,
        (
            Says("different answers: .*--tolerance", _CLI, "If the checksums of the two sides, or "
                 "of two launches of one side, differ, the exit code is 3"),
        ),
        every_mpi=True,
    ),
    Step(
        "answers that differ little", f"stretto compare {_RUN} --tolerance 1e-9 $APP 20 noisy",
        says=(
            Says("same answers: numbers differ by .* and may by 1e-09", _CLI,
                 "lets numbers among them differ by that share of the larger one"),
        ),
    ),
    Step(
        "a rank that computes longer", "stretto profile $APP 12 late",
        says=(
            Says("next: rank 1 computes .* balance the work", _PROFILE,
                 "The last line names the rank that computes longest"),
        ),
        never=("start them earlier",), every_mpi=True,
    ),
    Step(
        "a busy machine",
        # The kernel's average is that of a minute, and this shall take less.
        "for core in $(seq $(($(nproc) * 20))); do timeout 14 sh -c 'while :; do :; done' & done; "
        f"sleep 10; stretto whatif {_RUN} {_MACHINE} $APP",
        says=(
            Says("Warning: .* processes wanted this machine's", _WHATIF,
                 "A warning says where others wanted this machine's cores before the runs began"),
        ),
        languages=_C,
    ),
)  # fmt: skip

ENDS = (
    Step(
        "run what crashes", "stretto run -n 2 $APP 20 crashes", 4,
        (Says(r"rank 1 (\(.*\) )?was killed by SIGABRT", _CLI, "the one line says which it was"),),
        every_mpi=True,
    ),
    Step(
        "compare what crashes", "stretto compare -n 2 $APP 20 crashes", 4,
        (Says(r"rank 1 (\(.*\) )?was killed by SIGABRT", _CLI, "| 4 | the program crashed"),),
    ),
    Step(
        "profile what crashes", "stretto profile -n 2 --output it $APP 20 crashes", 4,
        (
            Says(r"Iallreduce(_c)? app\.(c|f90|py):\d+", _PROFILE, "what was recorded until then"),
            Says(
                "not all ranks came to MPI_Finalize: .*SIGABRT ended rank 1", _PROFILE,
                "with one line that says up to when that is, why it ends there",
            ),
        ),
    ),
    Step(
        "whatif of what crashes", f"stretto whatif {_RUN} {_MACHINE} $APP 20 crashes", 4,
        (Says(r"rank 1 (\(.*\) )?was killed by SIGABRT", _CLI, "| 4 | the program crashed"),),
    ),
    Step(
        "run what hangs", "stretto run -n 2 --timeout 3 $APP 20 hangs", 4,
        (Says("still running after 3 s", _CLI, "or ran past `--timeout`"),), every_mpi=True,
    ),
    Step(
        "profile what hangs", "stretto profile -n 2 --timeout 3 $APP 20 hangs", 4,
        (
            Says("SIGTERM ended ranks 0, 1; rank 0 was in MPI_Sendrecv(_c)? then", _PROFILE,
                 "and in which call a rank was"),
        ),
        every_mpi=True,
    ),
    Step(
        "attach to what runs",
        "stretto profile -n 2 --every 1s --output it $APP 20 hangs >/dev/null & "
        "until ls it/*.snapshot; do sleep 0.2; done 2>/dev/null >&2; sleep 1; "
        "stretto profile --attach it; kill $!; wait $!", 143,
        (
            Says("2 ranks, .*rank 0 was in MPI_Sendrecv", _PROFILE, "shows what is on record"),
            Says(r"Iallreduce(_c)? app\.(c|f90|py):\d+", _PROFILE, "--attach stretto-runs/solver"),
        ),
    ),
    *(
        Step(
            f"whatif of what runs once ({language})",
            f"stretto whatif --runs 2 {_MACHINE} $APP {steps} once",
            says=(
                Says("no verdict: launches of the program did not do the same.*--fresh-dir.*"
                     "--prepare", _WHATIF, "one line names the two and the options that mend it"),
            ),
            never=("sim is",), languages=(language,),
        )
        for language, steps in _LONG.items()
    ),
    Step(
        "what runs once, afresh",
        f"stretto whatif --runs 2 {_MACHINE} --fresh-dir $APP 20 once; code=$?; ls; exit $code",
        says=(Says("checksum", _CLI, "begin in its own copy of the working directory"),),
        never=("there is a result already", r"\bresult\b"),
    ),
    Step(
        "what runs once, prepared",
        "stretto compare --runs 2 --prepare 'rm -f result' $APP 20 once && "
        "grep -rl 'a result already' stretto-runs | wc -l",
        says=(Says("in all 4 launches .*0", _CLI, "has the shell run that before each launch"),),
    ),
    Step(
        "what cannot be prepared", f"stretto compare {_RUN} --prepare false $APP", 4,
        (Says("--prepare|false", _CLI, "where it fails the exit code is 4"),), languages=_C,
    ),
)  # fmt: skip

DISTURBED = (
    Step(
        "two at once",
        f"stretto compare {_RUN} --report 1.html $APP & stretto compare {_RUN} --report 2.html "
        "$APP; ours=$?; wait $!; echo codes $? $ours; ls stretto-runs",
        says=(
            Says("codes 0 0 app-1 app-2", "CHANGELOG.md", "run folders are numbered by who makes"),
        ),
    ),
    Step(
        "two at once in one run folder",
        f"stretto compare {_RUN} --output it $APP 4000 & "
        "until [ -e it/run.json ]; do sleep 0.1; done; "
        f"stretto compare {_RUN} --output it $APP 4000; ours=$?; wait $!; echo codes $? $ours",
        says=(
            Says("codes 0 [25]", _CLI, "one that another `stretto compare` is making is not"),
        ),
        languages=_C,
    ),
    Step(
        "an interrupted compare", "stretto compare --runs 4 $APP 400", 130,
        (
            Says("Interrupted after .*the same command makes the others", _CLI,
                 "where a signal ends it a line says so"),
        ),
        interrupt_at="stretto-runs/*/samples.jsonl",
    ),
    Step(
        "one between", f"stretto compare {_RUN} $APP 3 && ls stretto-runs",
        after=("an interrupted compare",),
        says=(Says("app-1 app-2", _CLI, "also where others were made since"),),
    ),
    Step(
        "resumed", "stretto compare --runs 4 $APP 400 && ls stretto-runs",
        after=("an interrupted compare", "one between"),
        says=(
            Says("(?i)resum.*app-1 app-2|app-1 app-2.*(?i:resum)", _CLI,
                 "The same command, with the same input, resumes a comparison"),
        ),
        never=("app-3",),
    ),
    Step(
        "more ranks, scaled",
        f"stretto whatif -n 4 {_RUN} {_MACHINE} --record it.trace $APP >/dev/null && "
        f"stretto replay it.trace --scale 4x {_MACHINE} --ppn 4",
        says=(
            Says("on 16 ranks .*weak scaling", "docs/replay.md", "replays four times as many"),
        ),
        languages=("C", "Fortran"),
    ),
    # Reductions of Python's objects are mpi4py's own, by messages from all to one.
    Step(
        "irregular ranks, scaled",
        f"stretto whatif -n 4 {_RUN} {_MACHINE} --record it.trace $APP >/dev/null && "
        "stretto replay it.trace --scale 4x", 2,
        (
            Says(r"rank \d has .* where rank \d, which should do the same, has .*app\.py:\d+",
                 "docs/replay.md", "Whatever is not like that is refused, with the first call"),
        ),
        languages=("Python",),
    ),
    Step(
        "two ranks, scaled",
        f"stretto whatif -n 2 {_RUN} {_MACHINE} --record it.trace $APP >/dev/null && "
        "stretto replay it.trace --scale 4x", 2,
        (Says("too few to show it", "docs/replay.md", "that takes four ranks in each dimension"),),
    ),
    Step(
        "two hosts",
        f"stretto calibrate --rig 2x1@200mbit -o it.toml $APP && stretto whatif {_RUN} --machine "
        "it.toml --rig 2x1@200mbit $APP 100",
        says=(
            Says("network", _WHATIF, "so it has every level that is between them"),
            Says("sim is .* from normal", _WHATIF, "With `--rig 4x1@200mbit` both verbs launch"),
        ),
        never=("has no network",), languages=_C, needs=("rig",),
    ),
)  # fmt: skip

WRONG_RUNS = (*INPUT, *VERDICTS, *ENDS, *DISTURBED)
