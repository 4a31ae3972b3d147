"""The entry points of `stretto profile`: calls are timed and counted where they are made."""

from __future__ import annotations

from collections.abc import Iterable

from generate.entry import MADE, SESSION, all_forms, entry, entry_points, is_newer, of_session
from generate.table import Function, large_count_form

COMPLETIONS = ("Wait", "Test", "Request_get_status")
OF_A_COMMUNICATOR = ("comm", "comm_old", "local_comm", "intercomm")


def kind(function: Function) -> str:
    """What sort of call it is, as Kind in profile/functions.hpp names them."""
    name = function.name
    if function.role == "collective":
        return {"blocking": "collective", "nonblocking": "start", "persistent": "other"}[
            function.form
        ]
    if function.role == "attach" or name.startswith("Dist_graph"):
        return "communicator"
    if "fh" in function.arguments or name.startswith("File_"):
        return "file"
    if "win" in function.arguments:
        return "one_sided"
    if name.startswith(COMPLETIONS):
        return "completion"
    if "probe" in name.lower():
        return "probe"
    if name.endswith("_init") or name.startswith(("Comm_", "Request_")):
        return "other"
    return "point_to_point"


def polls(function: Function) -> bool:
    """Does it ask whether something has happened, and not wait for it?"""
    return function.name.startswith(("Test", "Request_get_status", "Iprobe", "Improbe"))


def traffic(function: Function) -> str:
    """What it moves, in C++; empty for calls that move nothing by themselves."""
    if function.role == "collective":
        return f", traffic_of(Call{function.call})"
    if "target_rank" in function.arguments:
        return moved(to_target(function), function)
    if function.name.startswith(("Comm_", "Request_")) or "datatype" not in function.arguments:
        sends = "sendtype" in function.arguments
        return moved("bytes_of(sendcount, sendtype)", function) if sends else ""
    return moved("bytes_of(count, datatype)", function)


def to_target(function: Function) -> str:
    """The bytes of a one-sided call: of what it brings, where it brings anything."""
    if "datatype" in function.arguments:
        return "bytes_of(1, datatype)"
    side = "result" if "result_count" in function.arguments else "origin"
    return f"bytes_of({side}_count, {side}_datatype)"


def moved(bytes_: str, function: Function) -> str:
    """The same, but for messages that go nowhere."""
    peers = [a for a in ("dest", "source", "target_rank") if a in function.arguments]
    if not peers:
        return f", Traffic{{{bytes_}}}"
    return f", Traffic{{{peers[0]} == MPI_PROC_NULL ? 0 : {bytes_}}}"


def completing(function: Function, index: int) -> str:
    """The body of a call that may complete requests, or frees one."""
    name, arguments = function.name, function.arguments
    real = f"real({function.forwarded})"
    how = {
        "Wait": f"all({real})",
        "Waitall": f"all({real})",
        "Test": f"all({real}, flag)",
        "Testall": f"all({real}, flag)",
        "Waitany": f"one({real}, index)",
        "Testany": f"one({real}, index, flag)",
        "Waitsome": f"some({real}, outcount, indices)",
        "Testsome": f"some({real}, outcount, indices)",
        "Request_get_status": f"none({real})",
        "Request_free": f"freed({real})",
    }[name]
    count = arguments[0] if arguments[0].endswith("count") else "1"
    at = arguments[1] if count != "1" else arguments[0]
    pointer = "&" if name == "Request_get_status" else ""
    return f"  Completing timed({index}, caller, {count}, {pointer}{at});\n  return timed.{how};\n"


def starting(function: Function) -> str:
    """What its wrapper notes of the requests it starts, around the call; empty for others."""
    if function.name in ("Start", "Startall"):
        rest = ", requests, count" if function.name == "Startall" else ", request"
        return f"timed.starts_again(real({function.forwarded}){rest})"
    if function.arguments[-1:] != ("request",) or function.name.endswith("_init"):
        return ""
    return f"timed.starts(real({function.forwarded}), request)"


def of_made(function: Function, index: int, made: str) -> str:
    """The body of a call on a window or a file; it counts for the communicator of that."""
    if "comm" in function.arguments:  # the call that makes it
        return (
            f"  const Timed timed({index}, caller, comm);\n"
            f"  return timed.makes(real({function.forwarded}), {made});\n"
        )
    is_end = function.name in ("Win_free", "File_close")
    owner = f"Owners<{MADE[made]}>::get().{'taken(*' if is_end else 'of('}{made})"
    return timing(function, f"{index}, caller, {owner}{traffic(function)}")


def body(function: Function, index: int) -> str:
    if function.name.startswith((*COMPLETIONS, "Request_")):
        return completing(function, index)
    if made := next((a for a in MADE if a in function.arguments), ""):
        return of_made(function, index, made)
    comm = next((a for a in OF_A_COMMUNICATOR if a in function.arguments), "")
    # MPI_Comm_free is given a pointer; after it there is no communicator to name.
    pointer = comm and function.types[function.arguments.index(comm)].endswith("*")
    where = comm if comm and not pointer else "native().comm_null"
    return timing(function, f"{index}, caller, {where}{traffic(function)}")


def timing(function: Function, arguments: str) -> str:
    if started := starting(function):
        return f"  Timed timed({arguments});\n  return {started};\n"
    return f"  const Timed timed({arguments});\n  return real({function.forwarded});\n"


def wrapper(function: Function, index: int) -> str:
    if function.name in SESSION:
        return of_session(function)
    return entry(function, body(function, index), caller=True)


def source(functions: Iterable[Function]) -> str:
    """The text of profile/wrappers.cpp."""
    every = list(all_forms(functions))
    large = [form for form in map(large_count_form, every) if form]
    index = {function.name: number for number, function in enumerate(every)}
    index |= {form.name: index[form.name.removesuffix("_c")] for form in large}
    table = ",\n".join(
        f'    {{"MPI_{f.name}", Kind::{kind(f)}, {str(polls(f)).lower()}}}' for f in every
    )

    return (
        '#include "intercept/profile/completing.hpp"\n'
        '#include "intercept/profile/session.hpp"\n'
        '#include "intercept/profile/timed.hpp"\n'
        '#include "intercept/shared/session.hpp"\n'
        '#include "mpi/traffic.hpp"\n\n'
        "namespace stretto::intercept::profile {\n"
        f"constinit const Function kFunctions[] = {{\n{table}}};\n"
        "}  // namespace stretto::intercept::profile\n\n"
        + entry_points(
            "profile",
            [f for f in every if not is_newer(f)],
            [*filter(is_newer, every), *large],
            lambda f: wrapper(f, index[f.name]),
        )
    )
