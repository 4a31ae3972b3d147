"""The entry points of the mode profile: calls are timed and counted where they are made."""

from __future__ import annotations

from string import Template

from generate.entry import Wrapper, filled, mode_source, session
from generate.table import Function, every_form, functions

# The kinds of calls that are counted, and what the report calls them (see FunctionKind).
REPORTED = {
    "message": "point_to_point",
    "new_request": "other",
    "start": "point_to_point",
    "probe": "probe",
    "completion": "completion",
    "request": "other",
    "buffer": "point_to_point",
    "new_communicator": "communicator",
    "communicator": "other",
    "process": "other",
    "new_window": "one_sided",
    "window": "one_sided",
    "epoch": "one_sided",
    "one_sided": "one_sided",
    "new_file": "file",
    "file": "file",
}
REPORTED_COLLECTIVES = {"blocking": "collective", "nonblocking": "start", "persistent": "other"}
OF_A_COMMUNICATOR = ("comm", "comm_old", "local_comm", "intercomm")
# Handles that were made of a communicator, by their parameter's name.
MADE = {"win": "MPI_Win", "fh": "MPI_File"}

CALL = Template("""\
  const Timed timed($index, caller, $of$traffic);
  return real($arguments);
""")
SENDING_CALL = Template("""\
  Timed timed($index, caller, $of$traffic);
$messages  return real($arguments);
""")
# Only a status says whose message a receive of any source or tag got.
RECEIVING_CALL = Template("""\
  Timed timed($index, caller, $of$traffic);
  MPI_Status own{};
$messages  if ($is_open && status == MPI_STATUS_IGNORE) status = &own;
  return timed.ends(real($arguments), status$has_one);
""")
STARTING_MESSAGE = Template("""\
  Timed timed($index, caller, $of$traffic);
$messages  return timed.$outcome(real($arguments), request);
""")
STARTING_CALL = Template("""\
  Timed timed($index, caller, $of$traffic);
  return timed.starts(real($arguments), request);
""")
START = Template("""\
  Timed timed($index, caller, native().comm_null);
  return timed.starts_again(real($arguments), $requests);
""")
MAKING_CALL = Template("""\
  const Timed timed($index, caller, comm);
  return timed.makes(real($arguments), $made);
""")
COMPLETION = Template("""\
  return on_completion($index, caller, $completion);
""")
# Of these an answer or none, all the same.
OF_REQUESTS = Template("""\
  Completing timed($index, caller, $count, $requests);
  return timed.$outcome;
""")
REQUESTS = {
    "Request_get_status": ("1", "&request", "polls"),
    "Request_get_status_any": ("count", "requests", "polls"),
    "Request_get_status_all": ("count", "requests", "polls"),
    "Request_get_status_some": ("incount", "requests", "polls"),
    "Request_free": ("1", "request", "frees"),
}
# A message of a call that probes for it: received by it, or waited for only.
PROBES = {"Probe": "awaits", "Mprobe": "receives", "Improbe": "receives"}
STARTS = {"Start": "request", "Startall": "requests, count"}

HEAD = Template("""\
namespace stretto::intercept::profile {
constinit const Function kFunctions[] = {
$functions};
}  // namespace stretto::intercept::profile

""")


def is_counted(function: Function) -> bool:
    return function.is_collective or function.kind in REPORTED


COUNTED = [form for each in filter(is_counted, functions()) for form in every_form(each)]
INDEX = {function.name: index for index, function in enumerate(COUNTED)}


def reported(function: Function) -> str:
    """What sort of call it is in the report."""
    if function.is_collective:
        return REPORTED_COLLECTIVES[function.form]
    if function.kind == "new_communicator" and function.form == "nonblocking":
        return "other"
    return REPORTED[function.kind]


def polls(function: Function) -> bool:
    """Does it ask whether something has happened, and not wait for it?"""
    return function.kind in ("probe", "completion") and function.scope == "local"


def traffic(function: Function) -> str:
    """What it moves, as an argument in C++; empty for calls that move nothing by themselves."""
    if function.is_collective:
        return f", traffic_of(Call{function.call})"
    if not (moved := bytes_moved(function)):
        return ""
    # Messages may go nowhere.
    peers = [a for a in ("dest", "source", "target_rank") if a in function.arguments]
    return f", Traffic{{{f'{peers[0]} == MPI_PROC_NULL ? 0 : ' if peers else ''}{moved}}}"


def bytes_moved(function: Function) -> str:
    """In C++, of a call that is no collective; of a one-sided one what it brings, if anything."""
    arguments = function.arguments
    if function.kind == "one_sided" and "datatype" in arguments:
        return "bytes_of(1, datatype)"
    for what in ("", "send", "result_", "origin_"):
        count, datatype = f"{what}count", f"{what}{'type' if what == 'send' else 'datatype'}"
        if datatype in arguments:
            return f"bytes_of({count}, {datatype})"
    return ""


def of(function: Function) -> str:
    """In C++, the communicator that the call counts for, or that of its window or file."""
    for handle, type_ in MADE.items():
        if handle in function.arguments:
            ends = function.type_of(handle).endswith("*")  # it is given a pointer
            return f"Owners<{type_}>::get().{f'taken(*{handle})' if ends else f'of({handle})'}"
    comm = next((a for a in OF_A_COMMUNICATOR if a in function.arguments), "")
    # After MPI_Comm_free there is no communicator to name.
    return comm if comm and not function.type_of(comm).endswith("*") else "native().comm_null"


def sends(function: Function) -> str:
    """In C++, that it sends a message; empty where it does not."""
    tag = "sendtag" if "sendtag" in function.arguments else "tag"
    return f"  timed.sends(dest, {tag});\n" if "dest" in function.arguments else ""


def receives(function: Function) -> str:
    """In C++, that it receives a message or waits for one, as a condition; empty where not."""
    if "source" not in function.arguments or function.plain_name == "Iprobe":
        return ""
    tag = "recvtag" if "recvtag" in function.arguments else "tag"
    return f"timed.{PROBES.get(function.plain_name, 'receives')}(source, {tag})"


def message(function: Function, words: dict[str, object]) -> Template | None:
    """The shape of a call that is about messages or like one, and its words; None of others."""
    sent, received = sends(function), receives(function)
    if function.plain_name in ("Mrecv", "Imrecv"):
        sent = "  timed.fetches();\n"
    if function.kind == "one_sided" and "target_rank" in function.arguments:
        sent = "  timed.accesses(target_rank);\n"
    if not sent and not received:
        return None
    words["messages"] = sent
    if function.form == "blocking" and received:
        words["is_open"] = received
        words["has_one"] = ", *flag != 0" if "flag" in function.arguments else ""
        return RECEIVING_CALL
    if received:
        words["messages"] = f"{sent}  {received};\n"
    if function.form == "blocking":
        return SENDING_CALL
    words["outcome"] = "prepares" if function.form == "persistent" else "starts"
    return STARTING_MESSAGE


# Launchers end the ranks for it at once.
ABORT = Template("""\
  before_abort();
  return real($arguments);
""")


def wrap(function: Function) -> Wrapper | None:
    if function.name == "Abort":
        return Wrapper(function, filled(ABORT, function))
    if not is_counted(function):
        return session(function)
    words = {"index": INDEX[function.plain_name], "of": of(function), "traffic": traffic(function)}
    if shape_of_message := message(function, words):
        shape = shape_of_message
    elif function.completion:
        words["completion"] = function.completion
        shape = COMPLETION
    elif function.name in REQUESTS:
        words["count"], words["requests"], outcome = REQUESTS[function.name]
        words["outcome"] = f"{outcome}(real({function.forwarded}))"
        shape = OF_REQUESTS
    elif function.name in STARTS:
        words["requests"] = STARTS[function.name]
        shape = START
    elif function.kind in ("new_window", "new_file"):
        words["made"] = next(handle for handle in MADE if handle in function.arguments)
        shape = MAKING_CALL
    else:
        shape = STARTING_CALL if function.form == "nonblocking" else CALL
    return Wrapper(function, filled(shape, function, **words))


def source() -> str:
    """The text of its wrappers.cpp."""
    table = ",\n".join(
        f'    {{"MPI_{f.name}", FunctionKind::{reported(f)}, {str(polls(f)).lower()}}}'
        for f in COUNTED
    )
    return mode_source(
        "profile",
        [
            "intercept/profile/completing.hpp",
            "intercept/profile/session.hpp",
            "intercept/profile/timed.hpp",
            "intercept/shared/session.hpp",
            "mpi/traffic.hpp",
        ],
        wrap,
        head=HEAD.substitute(functions=table),
    )
