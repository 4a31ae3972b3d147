"""In which patterns ranks come late to what stretto bench measures, wherever they are from."""

from stretto.cli.consoles import note
from stretto.data.bench_plan import named
from stretto.data.bench_spec import (
    MANY_RANKS,
    Lateness,
    Spec,
    arrival_patterns,
    late_in_turn,
    place_of,
)
from stretto.data.profile_record import is_profile, read_record
from stretto.data.profiles import read_profile
from stretto.errors import InputError
from stretto.report.program_calls import usual_lateness


def lateness_of(spec: Spec) -> Lateness:
    """By operation. Raises InputError where `late` says nothing, or names what does not fit."""
    operations = list(dict.fromkeys(named(word)[0] for word in spec.operations))
    path = place_of(spec)
    if spec.late == "each" and spec.ranks > MANY_RANKS:
        some = late_in_turn(spec)
        note(
            f"stretto: --late each: of {spec.ranks} ranks {len(some)} are late in turn, the others "
            f"are left out: {', '.join(map(str, some))}; a file of patterns names others"
        )
    if path is None or not path.is_dir():
        return dict.fromkeys(operations, arrival_patterns(spec))
    if not is_profile(path):
        raise InputError(f"--late {path} is no run of stretto profile that came to its end")
    ranks = read_record(path).ranks
    if ranks != spec.ranks:
        raise InputError(f"--late {path} is a profile of {ranks} ranks, not of {spec.ranks}")
    usual = usual_lateness(read_profile(path, ranks))
    found = {name: [usual[name]] for name in operations if name in usual}
    missing = ", ".join(name for name in operations if name not in usual)
    if not found:
        raise InputError(f"--late {path}: no blocking call of all ranks in it is {missing}")
    if missing:
        note(f"stretto: --late {path} has no calls of all ranks of {missing}: nobody is late there")
    return found
