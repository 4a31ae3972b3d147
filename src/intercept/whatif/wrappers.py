"""The entry points of the mode whatif: calls take virtual time."""

from __future__ import annotations

from string import Template

from generate.entry import Wrapper, filled, is_never_older, joined, mode_source, session
from generate.table import Function

COLLECTIVE = Template("""\
  return on_collective(Call$call, "MPI_$name", caller, [=] { return real($arguments); });
""")
NONBLOCKING_COLLECTIVE = Template("""\
  return on_start(Call$call, "MPI_$name", caller, request, [=] { return real($arguments); });
""")
# Without a real one the program could not call it, but for what it links with.
PERSISTENT_COLLECTIVE = Template("""\
  if (real == nullptr) static_cast<void>(existing_function("PMPI_$name"));
  return on_initialized(Call$call, "MPI_$name", caller, request, [=] { return real($arguments); });
""")
NEIGHBORHOOD = Template("""\
  return on_neighborhood(Call$call, "MPI_$name", caller, [=] { return real($arguments); },
                         [=](MPI_Request* request_) {
    static const auto start = real_function<decltype(&$start)>("$start");
    return start($arguments, request_);
  });
""")
NEW_COMMUNICATOR = Template("""\
  return on_attach($parent, newcomm, "MPI_$name", caller, [=] { return real($arguments); });
""")
IDUP = Template("""\
  return on_idup(comm, newcomm, request, "MPI_$name", caller, [=] { return real($arguments); });
""")
COMPLETION = Template("""\
  return on_completion($completion);
""")
HOOK = Template("""\
  return on_$name($hooked);
""")

# Of messages; a function that is given a status is the real one with that status.
SEND = Template("""\
  return on_send(count, datatype, dest, tag, comm, [=] { return real($arguments); },
                 [=](MPI_Request* request_) {
    return native().$start(buf, static_cast<int>(count), datatype, dest, tag, comm, request_);
  });
""")
LOCAL_SEND = Template("""\
  return on_isend(count, datatype, dest, tag, comm, [=] { return real($arguments); });
""")
RECV = Template("""\
  return on_recv(count, source, tag, comm, status, $with_status, [=](MPI_Request* request_) {
    return native().Irecv(buf, static_cast<int>(count), datatype, source, tag, comm, request_);
  });
""")
IRECV = Template("""\
  return on_irecv(source, tag, comm, request, [=] { return real($arguments); });
""")
# What is too long for the two calls that do not wait is said by `false`.
SENDRECV = Template("""\
  return on_sendrecv(sendcount, sendtype, dest, sendtag, source, recvtag, comm, status,
                     $with_status, [=](MPI_Request* both_) {
    if (recvcount > INT_MAX) return false;
    native().Irecv(recvbuf, static_cast<int>(recvcount), recvtype, source, recvtag, comm, \
&both_[0]);
    native().Isend(sendbuf, static_cast<int>(sendcount), sendtype, dest, sendtag, comm, &both_[1]);
    return true;
  });
""")
SENDRECV_REPLACE = Template("""\
  return on_sendrecv(count, datatype, dest, sendtag, source, recvtag, comm, status,
                     $with_status, [](MPI_Request*) { return false; });
""")
ISENDRECV = Template("""\
  return on_isendrecv($sent, dest, sendtag, source, recvtag, comm, request,
                      [=] { return real($arguments); });
""")
MATCHED = Template("""\
  return on_matched(message, $request, [=] { return real($arguments); });
""")
SEND_INIT = Template("""\
  return on_persistent(true, bytes_of(count, datatype), dest, tag, comm, request,
                       [=] { return real($arguments); });
""")
RECV_INIT = Template("""\
  return on_persistent(false, 0, source, tag, comm, request, [=] { return real($arguments); });
""")
PROBE = Template("""\
  return on_probe(source, comm, $message, status, $with_status,
                  [=](int* found, MPI_Status* status_) {
    return native().$probe(source, tag, comm, $found, status_);
  });
""")
IPROBE = Template("""\
  return on_iprobe(source, comm, flag, $message, status, $with_status);
""")

# Of windows and files, and of what else nobody models.
MADE_OF = Template("""\
  return on_made(comm, $made, "MPI_$plain_name", caller, [=] { return real($arguments); });
""")
UNMADE = Template("""\
  return on_unmade($of, "MPI_$plain_name", caller, [=] { return real($arguments); });
""")
TOGETHER = Template("""\
  return on_together($comm, "MPI_$plain_name", caller, [=] { return real($arguments); });
""")
STARTS_LOCALLY = Template("""\
  return on_local("MPI_$plain_name", request, [=] { return real($arguments); });
""")
# It waits for nobody, perhaps for somebody, or polls a window's memory, which others are to
# change meanwhile.
ALONE = Template("""\
  return on_$how("MPI_$plain_name", [=] { return real($arguments); });
""")
EPOCH = Template("""\
  return on_$name($what, [=] { return real($arguments); });
""")
WIN_WAIT = Template("""\
  return on_Win_wait(win, [=] { return real($arguments); }, [=](int* flag_) {
    static const auto test = real_function<decltype(&PMPI_Win_test)>("PMPI_Win_test");
    return test(win, flag_);
  });
""")

# The names that Open MPI 4.1 has for persistent collectives.
EXTENSION = Template("""\
#if defined(OMPI_MAJOR_VERSION)
STRETTO_ENTRY Word enter_MPIX_$name($words) __asm__("MPIX_$name")
    __attribute__((alias("PMPI_$name")));
STRETTO_ENTRY Word enter_PMPIX_$name($words) __asm__("PMPIX_$name")
    __attribute__((alias("PMPI_$name")));
#endif
""")

# The shape of each, and what it is filled with.
MESSAGES: dict[str, tuple[Template, dict[str, str]]] = {
    "Send": (SEND, {"start": "Isend"}),
    "Ssend": (SEND, {"start": "Issend"}),
    "Rsend": (SEND, {"start": "Isend"}),  # the receive is there already
    "Bsend": (LOCAL_SEND, {}),  # the MPI buffers it
    "Isend": (LOCAL_SEND, {}),
    "Ibsend": (LOCAL_SEND, {}),
    "Issend": (LOCAL_SEND, {}),
    "Irsend": (LOCAL_SEND, {}),
    "Recv": (RECV, {}),
    "Irecv": (IRECV, {}),
    "Mrecv": (MATCHED, {"request": "nullptr"}),
    "Imrecv": (MATCHED, {"request": "request"}),
    "Sendrecv": (SENDRECV, {}),
    "Sendrecv_replace": (SENDRECV_REPLACE, {}),
    "Isendrecv": (ISENDRECV, {"sent": "sendcount, sendtype"}),
    "Isendrecv_replace": (ISENDRECV, {"sent": "count, datatype"}),
    "Send_init": (SEND_INIT, {}),
    "Bsend_init": (SEND_INIT, {}),
    "Ssend_init": (SEND_INIT, {}),
    "Rsend_init": (SEND_INIT, {}),
    "Recv_init": (RECV_INIT, {}),
    "Probe": (PROBE, {"message": "nullptr", "probe": "Iprobe", "found": "found"}),
    "Mprobe": (PROBE, {"message": "message", "probe": "Improbe", "found": "found, message"}),
    "Iprobe": (IPROBE, {"message": "nullptr"}),
    "Improbe": (IPROBE, {"message": "message"}),
}
EPOCHS = {
    "Win_post": (EPOCH, {"what": "group, win"}),
    "Win_start": (EPOCH, {"what": "group, win"}),
    "Win_complete": (EPOCH, {"what": "win"}),
    "Win_wait": (WIN_WAIT, {}),
    "Win_test": (EPOCH, {"what": "win, flag"}),
}
ENDS = ("Win_free", "File_close")
# No MPI here waits for other ranks in it: it counts as the computing it is.
UNTOUCHED = ("Comm_free",)


def collective(function: Function) -> str:
    if function.form == "persistent":
        return filled(PERSISTENT_COLLECTIVE, function)
    if function.form == "nonblocking":
        return filled(NONBLOCKING_COLLECTIVE, function)
    if function.kind == "neighborhood":
        name = function.name
        return filled(NEIGHBORHOOD, function, start=f"PMPI_I{name[0].lower()}{name[1:]}")
    return filled(COLLECTIVE, function)


def new_communicator(function: Function) -> str:
    if function.form == "nonblocking":
        return filled(IDUP, function)
    parent = function.arguments[0] if function.scope == "all" else "native().comm_null"
    return filled(NEW_COMMUNICATOR, function, parent=parent)


def message(function: Function) -> str:
    """The body of a point-to-point call's wrapper."""
    shape, words = MESSAGES[function.plain_name]
    arguments = joined(*("status_" if a == "status" else a for a in function.arguments))
    with_status = f"[=](MPI_Status* status_) {{ return real({arguments}); }}"
    return filled(shape, function, with_status=with_status, **words)


def unmodelled(function: Function) -> str:
    """The body of a call that takes the time it takes. What is not known not to wait may wait."""
    handle = next((a for a in function.arguments if a in ("comm", "win", "fh")), "")
    if function.kind in ("new_window", "new_file"):
        return filled(MADE_OF, function, made=function.arguments[-1])
    if function.name in ENDS:
        return filled(UNMADE, function, of=handle)
    if function.scope == "all":
        of = f"*{handle}" if function.type_of(handle).endswith("*") else handle
        is_comm = handle == "comm"
        comm = f"Process::get().comms.find({of})" if is_comm else f"Objects::get().of(key_of({of}))"
        return filled(TOGETHER, function, comm=comm)
    if function.form == "nonblocking":
        return filled(STARTS_LOCALLY, function)
    is_local = function.scope == "local"
    how = "local" if is_local else "polling" if handle == "win" else "alone"
    return filled(ALONE, function, how=how)


def body(function: Function) -> str:
    """What the wrapper of a function does; empty for those that virtual time leaves alone."""
    match function.kind:
        case "collective" | "neighborhood":
            return collective(function)
        case "new_communicator":
            return new_communicator(function)
        case "message" | "new_request" | "probe":
            return message(function)
        case "completion" if function.completion:
            return filled(COMPLETION, function, completion=function.completion)
        case "completion" if function.asks_of_many:
            return ""  # the MPI's, to which a clock message that has not come yet is unknown
        case "completion" | "request" | "start":
            return filled(HOOK, function, hooked=joined("real", *function.arguments))
        case "epoch":
            shape, words = EPOCHS[function.name]
            return filled(shape, function, **words)
        case "environment" | "datatype" | "op":
            return ""
    return "" if function.name in UNTOUCHED else unmodelled(function)


def wrap(function: Function) -> Wrapper | None:
    if function.kind in ("init", "finalize"):
        return session(function)
    text = body(function)
    is_persistent = function.is_collective and function.form == "persistent"
    words = joined(*["Word"] * len(function.types))
    extension = filled(EXTENSION, function, words=words) if is_persistent else ""
    return Wrapper(function, text, extension=extension) if text else None


def source() -> str:
    """The text of its wrappers.cpp."""
    return mode_source(
        "whatif",
        ["intercept/shared/session.hpp", "intercept/whatif/object_hooks.hpp"],
        wrap,
        # Persistent collectives it provides itself.
        lacks=is_never_older,
    )
