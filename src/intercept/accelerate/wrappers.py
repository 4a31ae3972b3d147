"""The entry points of the mode accelerate: the calls that Stretto takes part in."""

from __future__ import annotations

from string import Template

from generate.entry import Wrapper, filled, is_never_older, joined, mode_source
from generate.table import Function, every_form, functions

# Those with a hook of their own, on_X in hooks.hpp: all of these kinds, and these of others.
HOOKED_KINDS = (  # noqa: SIM905
    "init finalize environment completion start request datatype op"
).split()
HOOKED = (  # noqa: SIM905
    "File_open Comm_free Comm_disconnect Dist_graph_create Intercomm_create"
).split()
# What many an MPI leaves still until it is called again: the progress thread moves it along.
TRACKED = ("Isend", "Issend", "Irsend", "Irecv")

# Arguments are captured by value: parameters whose address is taken would be stored on every call.
# For the same reason the call is described more than once: to ask whether it is the MPI's needs no
# memory.
COLLECTIVE = Template("""\
  if (goes_native($index, $call)) {
    return real($arguments);
  }
  return on_collective($index, $call, $request, [=] { return real($arguments); });
""")
# Where the root may say in shared memory what comes, before anything else.
BY_ROOT = Template("""\
  if (const auto error = run_by_root($index, $call)) return *error;
""")
PERSISTENT = Template("""\
  return on_persistent($index, $call, request, real != nullptr, [=] { return real($arguments); });
""")
NEW_COMMUNICATOR = Template("""\
  return on_attach($parent, newcomm, [=] { return real($arguments); });
""")
TRACK = Template("""\
  return on_track(count, datatype, request, [=] { return real($arguments); });
""")
# Where it did not go straight to the MPI.
COMPLETION = Template("""\
  if (completes_natively()) return real($arguments);
  return on_completion($completion);
""")
ASKING = Template("""\
  return on_asking($count, requests, [=] { return real($arguments); });
""")
HOOK = Template("""\
  return on_$name($hooked);
""")

HEAD = Template("""\
namespace stretto::intercept::accelerate {
const std::array<const char*, kEntryPoints> kEntryPointNames{$names};
static_assert($count == kEntryPoints);
}  // namespace stretto::intercept::accelerate

""")

COUNTED = [form for each in functions() if each.is_collective for form in every_form(each)]
INDEX = {(form.base, form.form): index for index, form in enumerate(COUNTED)}


def body(function: Function) -> str:
    """What the wrapper of a function does; empty for those that are none of this mode's."""
    if function.is_collective:
        index = INDEX[function.base, function.form]
        by_root = function.plain_name in ("Bcast", "Scatter")
        first = filled(BY_ROOT, function, index=index) if by_root else ""
        return first + filled(
            PERSISTENT if function.form == "persistent" else COLLECTIVE,
            function,
            index=index,
            request="request" if function.form == "nonblocking" else "nullptr",
        )
    if function.completion:
        return filled(COMPLETION, function, completion=function.completion)
    if function.asks_of_many:
        return filled(ASKING, function, count=function.arguments[0])
    if function.kind in HOOKED_KINDS or function.name in HOOKED:
        caller = "caller" if function.name == "Query_thread" else ""
        return filled(HOOK, function, hooked=joined("real", caller, *function.arguments))
    if function.kind == "new_communicator" and function.form == "blocking":
        return filled(NEW_COMMUNICATOR, function, parent=function.arguments[0])
    if function.plain_name in TRACKED:
        return filled(TRACK, function)
    return ""


def direct(function: Function) -> str:
    """Under which condition nothing is to be done with a call; empty: that is not known so soon."""
    if function.completion:
        return "needs_no_attention()"
    # Calls that take large counts are long, and each such way takes long to compile.
    if function.is_collective and function.form != "persistent" and not function.is_large:
        index = INDEX[function.base, function.form]
        return f"goes_straight({index}, {function.call})"
    return "!Tracked::asked()" if function.plain_name in TRACKED else ""


def wrap(function: Function) -> Wrapper | None:
    text = body(function)
    # MPI_Init makes the mode active, or may have raised the level for nothing.
    always = function.kind == "init" or function.name == "Query_thread"
    if not text:
        return None
    # Some MPIs make communicators within collectives, which are not the program's.
    inside = function.is_collective
    return Wrapper(function, text, always=always, direct=direct(function), direct_inside=inside)


def source() -> str:
    """The text of its wrappers.cpp."""
    names = joined(*(f'"MPI_{form.name}"' for form in COUNTED))
    return mode_source(
        "accelerate",
        ["intercept/accelerate/hooks.hpp"],
        wrap,
        head=HEAD.substitute(names=names, count=len(COUNTED)),
        # Persistent collectives it provides itself.
        lacks=is_never_older,
    )
