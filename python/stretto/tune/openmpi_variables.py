"""Which settings of a user's choose how Open MPI runs collectives."""

import re

_LIST = "OMPI_MCA_coll"  # of components, or after ^ of those that are not taken
_TUNED, _HAN = "tuned", "han"
_OFF = ("0", "false", "no", "f", "n", "disabled")
# Where they are on, others than coll/tuned's and HAN's usual algorithms have the calls.
_SWITCH = re.compile(r"OMPI_MCA_coll_(han_reproducible|(ucc|hcoll)_enable)")
_CHOICE = re.compile(
    r"OMPI_MCA_coll_(tuned|han)_"
    r"(priority|use_\w+|dynamic_rules_filename|\w+_algorithm(_\w+)?|\w+_module)"
)
# With one of 0 or less a component has no calls; libnbc has none that block.
_PRIORITY = re.compile(r"OMPI_MCA_coll_(?!libnbc_)\w+_priority")
_NONE = re.compile(r"-\d+|0+")
# Options of mpirun that name files of settings, in which nobody looks what they choose.
_FILES = re.compile(r"--?(tune|am)")


def chooses(name: str, value: str) -> bool:
    """Whether other algorithms would run than those that are forced to be measured."""
    if name == _LIST:
        return not _takes(value, _TUNED)
    if _SWITCH.fullmatch(name):
        return value.lower() not in _OFF
    if _CHOICE.fullmatch(name) or _FILES.fullmatch(name):
        return not leaves_out_han(name, value)
    return _PRIORITY.fullmatch(name) is not None and not _NONE.fullmatch(value)


def leaves_out_han(name: str, value: str) -> bool:
    """Whether HAN is off, so that coll/tuned has all calls on several hosts, too."""
    if name == _LIST and value:
        return not _takes(value, _HAN)
    return name == "OMPI_MCA_coll_han_priority" and _NONE.fullmatch(value) is not None


def _takes(components: str, one: str) -> bool:
    named = components.removeprefix("^").split(",")
    return (one in named) != components.startswith("^")
