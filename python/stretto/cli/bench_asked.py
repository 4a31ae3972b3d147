"""What stretto bench is asked for and no operation of the run has a use for: refused, or said."""

from collections.abc import Callable, Collection

from stretto.cli.consoles import note
from stretto.data.bench_plan import COMM_SIZES, ROOTED, Form, is_of_root, named
from stretto.data.bench_spec import Spec, takes_counts
from stretto.errors import InputError


def check_asked(spec: Spec, given: Collection[str]) -> None:
    """Raise InputError where a plan has what is of no use to it, and note what is of use to some.

    `given` are the keys that options gave. Where only the operations are from options, what the
    plan has for others is noted and no error: a user could not take it back.
    """
    _check_counts(spec, given)
    _check_root(spec)
    _check_work(spec, given)


def _check_counts(spec: Spec, given: Collection[str]) -> None:
    if not spec.counts and "counts" not in given:
        return
    if len(spec.counts) != spec.ranks:
        raise InputError(
            f"--counts: there are {len(spec.counts)} counts, and {spec.ranks} ranks: write one for "
            "each rank"
        )
    _check_use("counts", "takes counts", takes_counts, spec, given)
    if "sizes" in given and (some := list(filter(takes_counts, spec.operations))):
        note(f"stretto: --sizes is not for {', '.join(some)}: as long as --counts says they are")


def _check_root(spec: Spec) -> None:
    if not any(named(word)[0] in ROOTED or is_of_root(word) for word in spec.operations):
        return
    ranks = COMM_SIZES[spec.comm](spec.ranks)
    if spec.root >= ranks:
        where = "" if spec.comm == "world" else f" in --comm {spec.comm}"
        raise InputError(
            f"--root {spec.root}: of {ranks} ranks{where} the last one is rank {ranks - 1}"
        )


def _check_work(spec: Spec, given: Collection[str]) -> None:
    if any(spec.tests) and not spec.compute:
        raise InputError("--tests: they are within the work that --compute asks for, give both")
    if spec.after and not any(spec.compute):
        raise InputError("--after: it is as much work as --compute asks for, give both")
    if spec.compute:
        _check_use("compute", "is nonblocking or persistent", _has_request, spec, given)


def _has_request(word: str) -> bool:
    return named(word)[1] is not Form.BLOCKING


def _check_use(
    key: str, needs: str, can_use: Callable[[str], bool], spec: Spec, given: Collection[str]
) -> None:
    """Of what an operation can use that `needs` says."""
    others = [word for word in spec.operations if not can_use(word)]
    nobody = len(others) == len(spec.operations)
    if nobody and (key in given or "operations" not in given):
        raise InputError(f"--{key}: none of {', '.join(others)} {needs}")
    if others and (key in given or nobody):
        note(f"stretto: --{key} is not for {', '.join(others)}: only for what {needs}")
