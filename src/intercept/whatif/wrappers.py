"""The entry points of `stretto whatif`: calls take virtual time."""

from __future__ import annotations

from collections.abc import Iterable

from generate.entry import MADE, SESSION, all_forms, entry, entry_points, of_session
from generate.table import Function, large_count_form

COMPLETIONS = (  # noqa: SIM905
    "Wait Test Waitall Testall Waitany Testany Waitsome Testsome "
    "Request_get_status Request_free Start Startall"
).split()
WITHOUT_MODEL = ("File_open", "Comm_disconnect")
# No MPI here waits for other ranks in these: they count as the computing they are.
UNTOUCHED = ("Comm_free",)
# Calls without a model that all ranks of a communicator, a window or a file make together, beside
# those whose names say so.
TOGETHER = (  # noqa: SIM905
    "Comm_accept Comm_connect Comm_disconnect Comm_set_info Comm_spawn Comm_spawn_multiple "
    "File_preallocate File_seek_shared File_set_atomicity File_set_info File_set_size "
    "File_set_view File_sync Win_fence Win_set_info"
).split()
TOGETHER_IN_NAME = ("_all", "_ordered", "_all_begin", "_ordered_begin")  # of files
EPOCHS = ("Win_post", "Win_start", "Win_complete", "Win_wait", "Win_test")
# Of other calls without a model, those that wait for no other rank, beside those that start what a
# request completes. MPI_Put and its kind do not, either.
LOCAL = ("File_seek", "Win_attach", "Win_detach")


def collective(function: Function) -> str:
    words = f'Call{function.call}, "MPI_{function.name}", caller'
    real = f"[=] {{ return real({function.forwarded}); }}"
    if function.form == "persistent":
        # Without it the program could not call it, but for what it links with.
        missing = f'static_cast<void>(existing_function("PMPI_{function.name}"))'
        return (
            f"  if (real == nullptr) {missing};\n"
            f"  return on_initialized({words}, request, {real});\n"
        )
    if function.form == "nonblocking":
        return f"  return on_start({words}, request, {real});\n"
    if function.name.startswith("Neighbor_"):
        name = f"PMPI_I{function.name[0].lower()}{function.name[1:]}"
        start = (
            f"[=](MPI_Request* request_) {{\n"
            f'    static const auto start = real_function<decltype(&{name})>("{name}");\n'
            f"    return start({function.forwarded}, request_);\n  }}"
        )
        return f"  return on_neighborhood({words}, {real}, {start});\n"
    return f"  return on_collective({words}, {real});\n"


def with_status(function: Function) -> str:
    """The real call as a function of where its status goes."""
    arguments = ["status_" if name == "status" else name for name in function.arguments]
    return f"[=](MPI_Status* status_) {{ return real({', '.join(arguments)}); }}"


def started(name: str) -> str:
    """The nonblocking call that can stand for a blocking one, as a function of its request."""
    peer = "source" if name == "Irecv" else "dest"
    return (
        "[=](MPI_Request* request_) { "
        f"return native().{name}(buf, static_cast<int>(count), datatype, {peer}, tag, comm, "
        "request_); }"
    )


def started_both() -> str:
    """MPI_Sendrecv as two calls that do not wait; false where a count is too large for them."""
    return (
        "[=](MPI_Request* both_) {\n"
        "    if (recvcount > INT_MAX) return false;\n"
        "    native().Irecv(recvbuf, static_cast<int>(recvcount), recvtype, source, recvtag, "
        "comm, &both_[0]);\n"
        "    native().Isend(sendbuf, static_cast<int>(sendcount), sendtype, dest, sendtag, comm, "
        "&both_[1]);\n"
        "    return true;\n"
        "  }"
    )


def message(function: Function) -> str:
    """The body of a point-to-point call's wrapper."""
    name = function.name.removesuffix("_c")
    real = f"[=] {{ return real({function.forwarded}); }}"
    match name:
        # A message of MPI_Bsend is the MPI's to buffer; MPI_Rsend's has its receive already.
        case "Send" | "Rsend" | "Ssend":
            into = started("Issend" if name == "Ssend" else "Isend")
            return f"  return on_send(count, datatype, dest, tag, comm, {real}, {into});\n"
        case "Bsend" | "Isend" | "Ibsend" | "Issend" | "Irsend":
            return f"  return on_isend(count, datatype, dest, tag, comm, {real});\n"
        case "Recv":
            into = started("Irecv")
            status = with_status(function)
            return f"  return on_recv(count, source, tag, comm, status, {status}, {into});\n"
        case "Irecv":
            return f"  return on_irecv(source, tag, comm, request, {real});\n"
        case "Sendrecv" | "Sendrecv_replace":
            what = "count, datatype" if name.endswith("replace") else "sendcount, sendtype"
            peers = "dest, sendtag, source, recvtag, comm, status"
            both = started_both() if name == "Sendrecv" else "[](MPI_Request*) { return false; }"
            return f"  return on_sendrecv({what}, {peers}, {with_status(function)}, {both});\n"
        case "Isendrecv" | "Isendrecv_replace":
            what = "count, datatype" if name.endswith("replace") else "sendcount, sendtype"
            peers = "dest, sendtag, source, recvtag, comm, request"
            return f"  return on_isendrecv({what}, {peers}, {real});\n"
        case "Recv_init":
            return f"  return on_persistent(false, 0, source, tag, comm, request, {real});\n"
        case "Send_init" | "Bsend_init" | "Ssend_init" | "Rsend_init":
            bytes_ = "bytes_of(count, datatype)"
            return f"  return on_persistent(true, {bytes_}, dest, tag, comm, request, {real});\n"
        case "Probe" | "Mprobe":
            taken = "message" if name == "Mprobe" else "nullptr"
            look = "Improbe" if name == "Mprobe" else "Iprobe"
            rest = "found, message, status_" if name == "Mprobe" else "found, status_"
            looks = (
                "[=](int* found, MPI_Status* status_) { "
                f"return native().{look}(source, tag, comm, {rest}); }}"
            )
            return (
                f"  return on_probe(source, comm, {taken}, status, {with_status(function)}, "
                f"{looks});\n"
            )
        case "Iprobe" | "Improbe":
            taken = "message" if name == "Improbe" else "nullptr"
            status = with_status(function)
            return f"  return on_look(source, comm, flag, {taken}, status, {status});\n"
        case "Mrecv" | "Imrecv":
            request = "request" if name == "Imrecv" else "nullptr"
            return f"  return on_matched(message, {request}, {real});\n"
    raise ValueError(f"no rule for MPI_{function.name}")


def epoch(function: Function, real: str) -> str:
    """The body of a call that begins or ends an epoch between some ranks of a window."""
    after = ""
    if function.name == "Win_wait":
        after = (
            ", [=](int* flag_) {\n"
            "    static const auto test = "
            'real_function<decltype(&PMPI_Win_test)>("PMPI_Win_test");\n'
            "    return test(win, flag_);\n  }"
        )
    taken = [a for a in function.arguments if a != "assertion"]
    return f"  return on_{function.name}({', '.join(taken)}, {real}{after});\n"


def handle(function: Function) -> str:
    """The communicator, window or file of a call, as an argument that may be a pointer."""
    names = ("comm", "win", "fh")
    return next((a for a in function.arguments if a in names), "")


def unmodelled(function: Function) -> str:
    """The body of a call that takes the time it takes. What is not known not to wait may wait."""
    name = function.name.removesuffix("_c")
    what = f'"MPI_{name}"'
    real = f"[=] {{ return real({function.forwarded}); }}"
    of = handle(function)
    if name in EPOCHS:
        return epoch(function, real)
    if "comm" in function.arguments and of != (made := function.arguments[-1]) and made in MADE:
        return f"  return on_made(comm, {made}, {what}, caller, {real});\n"
    if name in ("Win_free", "File_close"):
        return f"  return on_unmade({of}, {what}, caller, {real});\n"
    in_name = name.startswith("File_") and name.endswith(TOGETHER_IN_NAME)
    if (name in TOGETHER or in_name) and "request" not in function.arguments:
        pointer = "*" if function.types[function.arguments.index(of)].endswith("*") else ""
        comms = f"Process::get().comms.find({pointer}comm)"
        comm = comms if of == "comm" else f"Objects::get().of(key_of({of}))"
        return f"  return on_together({comm}, {what}, caller, {real});\n"
    if "request" in function.arguments:
        return f"  return on_local({what}, request, {real});\n"
    if "target_rank" in function.arguments or name in LOCAL:
        return f"  return on_local({what}, {real});\n"
    return f"  return on_{'looking' if of == 'win' else 'alone'}({what}, {real});\n"


def body(function: Function) -> str:
    name = function.name
    if function.role == "watch" or name in WITHOUT_MODEL:
        return unmodelled(function)
    if function.role == "collective":
        return collective(function)
    if function.role == "attach" or name == "Dist_graph_create":
        real = f"[=] {{ return real({function.forwarded}); }}"
        # All ranks of the first communicator take part, but in these.
        some = name in ("Comm_create_group", "Intercomm_create", "Intercomm_merge")
        parent = "native().comm_null" if some else function.arguments[0]
        return f'  return on_attach({parent}, newcomm, "MPI_{name}", caller, {real});\n'
    if name.startswith("Comm_idup"):
        real = f"[=] {{ return real({function.forwarded}); }}"
        return f'  return on_idup(comm, newcomm, request, "MPI_{name}", caller, {real});\n'
    if name in COMPLETIONS:
        return f"  return on_{name}({', '.join(('real', *function.arguments))});\n"
    return message(function)


def wrapper(function: Function) -> str:
    if function.name in SESSION:
        return of_session(function)
    text = body(function)
    return entry(function, text, caller="caller" in text) + extension(function)


def extension(function: Function) -> str:
    """The names that Open MPI 4.1 has for persistent collectives."""
    if function.form != "persistent":
        return ""
    words = ", ".join(["Word"] * len(function.types))
    aliases = (
        f"STRETTO_ENTRY Word enter_{each}_{function.name}({words}) "
        f'__asm__("{each}_{function.name}")\n'
        f'    __attribute__((alias("PMPI_{function.name}")));\n'
        for each in ("MPIX", "PMPIX")
    )
    return f"#if defined(OMPI_MAJOR_VERSION)\n{''.join(aliases)}#endif\n"


def source(functions: Iterable[Function]) -> str:
    """The text of whatif/wrappers.cpp."""
    every = [form for form in all_forms(functions) if form.name not in UNTOUCHED]
    large = [form for form in map(large_count_form, every) if form]

    return (
        '#include "intercept/shared/session.hpp"\n'
        '#include "intercept/whatif/object_hooks.hpp"\n\n'
        + entry_points("whatif", every, large, wrapper)
    )
