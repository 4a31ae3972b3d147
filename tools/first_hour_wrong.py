"""What a new user types wrong, and what the system refuses. For tools/first_hour.py."""

from __future__ import annotations

from first_hour_promises import Says, Step

_C = ("C",)
_BAD = "| 2 | bad input |"
_CLI = "docs/cli.md"
_CANNOT_WRITE = "could not be written (a full disk, one that is read-only)"
_RUN = "--runs 1"
_MACHINE = "--machine ethernet-10g"


def refused(name: str, line: str, pattern: str, page: str = _CLI, promise: str = _BAD) -> Step:
    """Bad input, of which one line says what is wrong."""
    return Step(name, line, 2, (Says(pattern, page, promise),), languages=_C)


TYPED = (
    refused("no such program", "stretto run -n 2 ./missing", "missing does not exist"),
    refused("not executable", "stretto run -n 2 ./app.c", "app.c is not executable"),
    refused(
        "a program without MPI", "stretto run -n 2 /bin/true", "does not use MPI", _CLI,
        "none: exit code 2, unless `--launcher` says whose MPI it loads at run time",
    ),
    refused("no such verb", "stretto frobnicate", "No such command 'frobnicate'"),
    refused("no ranks", "stretto compare -n 0 $APP", "greater than or equal to 1"),
    refused(
        "no such algorithm", "stretto run --algorithm allreduce=leaders $APP",
        "allreduce has no algorithm leaders; it has .*ring",
    ),
    refused("no rules", "stretto run --rules app.c $APP", r"app\.c: "),
    refused("no machine", f"stretto whatif {_RUN} --machine none $APP", "--machine none: No such"),
    refused(
        "no scenario", f"stretto whatif {_RUN} {_MACHINE} --scenario x:warp=9 $APP", "warp",
        "docs/whatif.md", "`--scenario NAME:SETTING,...` adds one",
    ),
    refused("no run", "stretto report nowhere", "nowhere is not a run folder"),
    refused("no trace", "stretto replay app.c", "not a trace", "docs/replay.md", "is refused"),
    refused("no rules to export", "stretto export app.c --to openmpi", r"app\.c: "),
    refused("no collective", "stretto simulate frobnicate", "unknown collective 'frobnicate'"),
    refused("nothing to explain", "stretto explain frobnicate", "unknown collective"),
    refused("no schedule", "stretto schedule show bcast --algorithm none", "unknown algorithm"),
    refused("nothing to measure", "stretto bench frobnicate", "nothing that is measured here"),
    refused("no plan", "stretto bench --plan none --dry-run", "none"),
    refused(
        "a GOAL schedule with a slip",
        r"printf 'num_ranks 2\nrank 0 {\nl1: nonsense\n}\n' >its.goal; "
        f"stretto replay its.goal {_MACHINE} --ppn 1",
        "its.goal, line 3: ", "docs/replay.md", "what is otherwise is refused, as all that is "
        "wrong, naming the line",
    ),
    refused(
        "several programs by compare", f"stretto compare {_RUN} -n 1 $APP : -n 1 $APP",
        "cannot launch several programs", _CLI, "and by the other verbs, that is refused",
    ),
    refused(
        "several programs by profile", "stretto profile -n 1 $APP : -n 1 $APP",
        "cannot launch several programs", _CLI, "and by the other verbs, that is refused",
    ),
    refused(
        "somebody's report.html",
        f"echo mine >report.html; stretto compare {_RUN} $APP; code=$?; cat report.html; "
        "exit $code",
        "report.html is no report of stretto.* mine|mine .*report.html is no report", _CLI,
        "A file that is no report of Stretto's is never overwritten by one",
    ),
    refused(
        "a trace that is there",
        f"touch it.trace; stretto whatif {_RUN} {_MACHINE} --record it.trace $APP",
        "there is a file of that name", "docs/replay.md", "Nothing is written over",
    ),
)  # fmt: skip

ODD = (
    Step(
        "no such launcher", "stretto run --launcher ./none $APP", 5,
        (Says("the launcher ./none is not there", _CLI, "this machine lacks something: a "
              "launcher"),),
        languages=_C,
    ),
    Step(
        "several programs", "stretto run -n 1 $APP : -n 1 $APP",
        says=(
            Says("checksum", _CLI, "launches several programs together as `mpirun` and `mpiexec`"),
        ),
        languages=("C", "Fortran"), every_mpi=True,
    ),
    Step(
        "an algorithm that does not apply",
        "stretto run -n 2 --algorithm allreduce=reduce_exchange_bcast $APP",
        says=(
            Says(
                "the algorithm reduce_exchange_bcast, which was asked for, does not apply to",
                _CLI,
                "Where an algorithm that was asked for cannot run calls of the program one line "
                "says so",
            ),
        ),
    ),
    Step(
        "another MPI's launcher",
        "stretto run -n 2 --launcher $OTHER_MPIRUN ./script",
        before=r"printf '#!/bin/sh\nexec ./app\n' >script; chmod +x script",
        says=(
            Says("a world of its own", "CHANGELOG.md", "each rank is alone in a world of its own"),
        ),
        languages=_C, needs=("two MPIs",),
    ),
    Step(
        "| head", "stretto profile -n 2 $APP 2>&1 | head -n 1; exit ${PIPESTATUS[0]}",
        says=(Says("", _CLI, "A reader that has seen enough (`| head`) is no failure"),),
    ),
    Step(
        "| head of a table", "stretto info | head -n 1; exit ${PIPESTATUS[0]}",
        says=(Says("", _CLI, "A reader that has seen enough (`| head`) is no failure"),),
        languages=_C,
    ),
    Step(
        "60 columns", f"stretto profile -n 2 $APP && stretto whatif {_RUN} {_MACHINE} -n 2 $APP",
        says=(
            Says(
                r"Sendrecv(_c)? app\.(c|f90|py):\d+ calls 40, bytes 8 B",
                "CHANGELOG.md",
                "On narrow terminals all tables give each row as a name and lines of figures",
            ),
        ),
        never=("…", r"\.\.\. "), columns=60,
    ),
    Step(
        "ISO-8859-1",
        f"LC_ALL=C PYTHONIOENCODING=iso-8859-1 stretto compare {_RUN} -n 2 $APP >out && file out",
        says=(Says("out: .*(ASCII|ISO-8859)", _CLI, "What the encoding of standard output lacks"),),
        languages=_C,
    ),
    Step(
        "ASCII",
        "LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0 stretto profile -n 2 $APP >out && "
        "! grep -P '[^\\x00-\\x7f]' out && tail -n 1 out",
        says=(Says("next: ", _CLI, "What the encoding of standard output lacks is said in ASCII"),),
    ),
    Step(
        "what is stripped", "stretto profile -n 2 ./app", before="strip app",
        says=(
            Says(
                r"Sendrecv app\+0x[0-9a-f]+", "docs/profile.md",
                "as mostly where a program is stripped, the address as `libname.so+0x1a2b`",
            ),
        ),
        languages=("C", "Fortran"), needs=("strip",),
    ),
    Step(
        "a script's name", f"stretto compare {_RUN} $APP && ls stretto-runs",
        says=(Says("app-1", "CHANGELOG.md", "are called solver, not python3"),),
        never=("python",), languages=("Python",),
    ),
)  # fmt: skip


def cannot_write(name: str, line: str, pattern: str, place: str) -> Step:
    """A file that cannot be written there, which one line names."""
    return Step(
        f"{name} on a {place}", line, 5, (Says(pattern, _CLI, _CANNOT_WRITE),),
        ("did not come to MPI_Finalize",), languages=_C, place=place,
    )  # fmt: skip


_NO_SPACE = "No space left on device|could not be written|cannot be written"
_READ_ONLY = "Read-only file system|could not be written|cannot be written|read-only"
REFUSED = tuple(
    cannot_write(name, line, pattern, place)
    for place, pattern in (("full disk", _NO_SPACE), ("read-only disk", _READ_ONLY))
    for name, line in (
        ("compare", f"stretto compare {_RUN} ../app"),
        ("profile", "stretto profile -n 2 ../app"),
        ("whatif", f"stretto whatif {_RUN} {_MACHINE} ../app"),
        ("calibrate", "STRETTO_CALIBRATE_PERCENT=10 stretto calibrate -n 2 -o here.toml ../app"),
        ("tune", "stretto tune --sizes 8 --collectives bcast --rounds 1 --launches 1 ../app"),
        ("simulate", "stretto simulate bcast -n 4 --plot it.svg"),
        ("schedule show", "stretto schedule show bcast --algorithm binomial --svg it.svg"),
        ("bench", "stretto bench barrier --launches 1 --quick"),
        ("export of tables", "stretto info --export-csv info.csv"),
    )
)
CUT = (
    Step(
        "a report that cannot be", f"stretto compare {_RUN} --report app/report.html $APP", 5,
        (Says(r"app/report\.html", _CLI, _CANNOT_WRITE),), languages=_C,
    ),
    Step(
        "samples that are cut off", "stretto report cut", 5,
        (Says(r"cut/samples\.parquet .*cut off", _CLI, "or the samples or counters of a run are "
              "cut off"),),
        before=f"stretto compare {_RUN} --output cut $APP && truncate -s 100 cut/samples.parquet",
        languages=_C,
    ),
    Step(
        "a profile that is cut off", "stretto report cut", 2,
        (Says("cut", _CLI, "A folder that is damaged or cut off is named in one line: exit code "
              "5, of a profile 2"),),
        before="stretto profile --output cut $APP && truncate -s 100 cut/rank-*",
        languages=_C,
    ),
    Step(
        "a trace that is cut off", "stretto replay cut.trace", 2,
        (Says("cut.trace: byte 300: the file is cut off", "docs/replay.md", "a file that is cut "
              "off or damaged is refused, naming the byte"),),
        before=f"stretto whatif {_RUN} {_MACHINE} --record a.trace $APP && "
        "head -c 300 a.trace >cut.trace",
        languages=_C,
    ),
)  # fmt: skip

WRONG = (*TYPED, *ODD, *REFUSED, *CUT)
