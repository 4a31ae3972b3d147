"""The shape that every entry point has, whatever its mode does with the call.

Each function is defined as MPI_X and as PMPI_X, which do the same: Fortran in Open MPI
enters through PMPI_X, so one C definition serves every language. Only where another tool
that wraps MPI_X comes after Stretto is MPI_X that tool's, whose PMPI_X is Stretto's. The
real one is looked up in the MPI the process has loaded. While the mode is not active
(before MPI_Init, after MPI_Finalize, or when the MPI is of another ABI), an entry point
only forwards. It then does not know what its arguments are (a handle is an int in one ABI
and a pointer in another), so it takes and hands on machine words. A mode may say of a
function when it has next to nothing to do with its calls: these go straight to the MPI,
before its wrapper is entered, where no tool comes after Stretto.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from string import Template

from generate.table import Function, every_form, functions, large_count_form

# What the mode does with a call.
WRAP = Template("""\
static int wrap_$name($parameters) {
$inside$body}
""")
# How the call gets there.
ENTER = Template("""\
$straight[[gnu::always_inline]] static inline const Reached& reached_$name() {
  static const Reached reached = $reach($reached);
  return reached;
}
static Word act_$name($acting) {
$forward  return wrap_$name($passed);
}
STRETTO_ENTRY Word enter_$name($words) __asm__("MPI_$name");
STRETTO_ENTRY Word enter_P$name($words) __asm__("PMPI_$name");
$defined
""")
ALWAYS_ENTERED = Template("""\
Word enter_$p$name($words) { return $enter($entered); }
""")
# Where there may be nothing to do with it: the MPI's function, once that is known.
STRAIGHT = Template("""\
static constinit std::atomic<void*> straight_$name{nullptr};
[[gnu::always_inline]] static inline bool is_direct_$name($parameters) { return $direct; }
""")
# All else is apart, so that the way straight to the MPI need not save registers for it.
STRAIGHT_OR_ENTERED = Template("""\
[[gnu::noinline]] static Word apart_$p$name(void* caller, $words) { return $enter($entered); }
Word enter_$p$name($words) {
  void* const real = straight_$name.load(std::memory_order_acquire);
  if (real != nullptr && is_direct_$name($typed)) [[likely]] {
${inside}    return reinterpret_cast<Word (*)($words)>(real)($named);
  }
  return apart_$p$name(__builtin_return_address(0), $named);
}
""")
FORWARD = Template("""\
  if (!is_active(caller)) return reinterpret_cast<Word (*)($words)>($inactive)($named);
""")

# The file of a mode. Open MPI 4.1 has none of the newer functions, and a program that looks for
# them must not find ours.
SOURCE = Template("""\
$includes

${head}using namespace stretto;
using namespace stretto::intercept;
using namespace stretto::intercept::$mode;

extern "C" {

$older
#if !defined(OMPI_MAJOR_VERSION)

$newer
#endif

}  // extern "C"
""")

# The bodies of what begins and ends a session.
BEGIN = Template("""\
  return after_init(real($arguments), kRankSettings, begin_session);
""")
END = Template("""\
  end_session();
  return real($arguments);
""")


@dataclass(frozen=True)
class Wrapper:
    """What a mode makes of one function."""

    function: Function
    body: str  # of wrap_X: statements in C++, which may name `real` and `caller`
    always: bool = False  # is it run before the mode is active, too?
    # Where this is true of its arguments the call goes straight to the MPI, unless a tool has it.
    direct: str = ""
    direct_inside: bool = False  # even then what the MPI calls within it is not the program's
    extension: str = ""  # what follows the entry point

    @property
    def takes_caller(self) -> bool:
        """Is the body handed the address that the call came from?"""
        return "caller" in self.body

    @property
    def wrap(self) -> str:
        """The definition of wrap_X."""
        function = self.function
        real = f"int (*real)({', '.join(function.types)})"
        return WRAP.substitute(
            name=function.name,
            parameters=joined(
                real, "void* caller" if self.takes_caller else "", function.parameters
            ),
            inside="" if self.always else "  const Inside inside;\n",
            body=self.body,
        )

    @property
    def text(self) -> str:
        """All that the mode has of the function."""
        return self.wrap + self.enter + self.extension

    @property
    def enter(self) -> str:
        """The definitions of MPI_X and PMPI_X, which come to wrap_X while the mode is active."""
        function, name = self.function, self.function.name
        words = joined(*(f"Word w{i}" for i, _ in enumerate(function.types)))
        named = joined(*(f"w{i}" for i, _ in enumerate(function.types)))
        typed = joined(*(f"from_word<{type_}>(w{i})" for i, type_ in enumerate(function.types)))
        reach, inactive = "reach", "what.real"
        if function.is_collective and function.form == "persistent":
            # An MPI may have none, which the mode may provide while it is active.
            reach = "reach_persistent"
            inactive = f'(what.real != nullptr ? what.real : existing_function("PMPI_{name}"))'
        reached = joined(f'"MPI_{name}"', f"&straight_{name}" if self.direct else "")
        caller = "caller" if self.direct else "__builtin_return_address(0)"
        entered = joined(f"reached_{name}()", caller, f"act_{name}", named)
        way = STRAIGHT_OR_ENTERED if self.direct else ALWAYS_ENTERED
        defined = "".join(
            way.substitute(
                p=p, name=name, words=words, named=named, typed=typed, enter=enter, entered=entered,
                inside="    const Inside inside;\n" if self.direct_inside else "",
            )
            for p, enter in (("", "enter"), ("P", "enter_profiled"))
        )  # fmt: skip
        real = f"reinterpret_cast<int (*)({', '.join(function.types)})>(what.real)"
        forward = FORWARD.substitute(words=words, inactive=inactive, named=named)
        parameters = joined(*(f"[[maybe_unused]] {p}" for p in function.parameters.split(", ")))
        straight = STRAIGHT.substitute(name=name, parameters=parameters, direct=self.direct)
        return ENTER.substitute(
            straight=straight if self.direct else "",
            defined=defined,
            name=name,
            reach=reach,
            reached=reached,
            acting=joined("const Reached& what, [[maybe_unused]] void* caller", words),
            forward="" if self.always else forward,
            passed=joined(real, "caller" if self.takes_caller else "", typed),
            words=words,
        )


def joined(*parts: str) -> str:
    """A list in C of those that are not empty."""
    return ", ".join(filter(None, parts))


def filled(body: Template, function: Function, **others: object) -> str:
    """A body for a function: its $name without MPI_ ($plain_name: nor _c), the names of its
    $arguments, and of a collective the $call that describes it.
    """
    return body.substitute(
        others,
        name=function.name,
        plain_name=function.plain_name,
        arguments=function.forwarded,
        call=function.call if function.is_collective else "",
    )


def session(function: Function) -> Wrapper | None:
    """Where MPI_Init and MPI_Finalize begin and end a session, and do no more."""
    bodies = {"init": BEGIN, "finalize": END}
    if function.kind not in bodies:
        return None
    return Wrapper(function, filled(bodies[function.kind], function), always=True)


def is_newer(function: Function) -> bool:
    """Does MPI have it since 4.0 or later?"""
    is_persistent = function.is_collective and function.form == "persistent"
    return is_persistent or is_never_older(function) or function.name == "Comm_idup_with_info"


def is_never_older(function: Function) -> bool:
    """Has no MPI before 4.0 it by any name, so that no mode provides it there?"""
    return function.is_large or function.asks_of_many


def entries(wrap: Callable[[Function], Wrapper | None]) -> list[Wrapper]:
    """What a mode makes of all forms of all functions, large counts last."""
    forms = [form for function in functions() for form in every_form(function)]
    large = filter(None, map(large_count_form, forms))
    return list(filter(None, map(wrap, [*forms, *large])))


def mode_source(
    mode: str,
    includes: Iterable[str],
    wrap: Callable[[Function], Wrapper | None],
    head: str = "",
    lacks: Callable[[Function], bool] = is_newer,
) -> str:
    """The text of a mode's wrappers.cpp.

    `wrap` says what the mode makes of a function, None of one that it does not take; `head` is
    what else it has; `lacks` says which functions a program on Open MPI 4.1 must not find.
    """
    every = entries(wrap)
    return SOURCE.substitute(
        includes="\n".join(f'#include "{name}"' for name in includes),
        head=head,
        mode=mode,
        older="\n".join(entry.text for entry in every if not lacks(entry.function)),
        newer="\n".join(entry.text for entry in every if lacks(entry.function)),
    )
