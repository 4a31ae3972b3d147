"""The network rig: several hosts on one machine, joined by a rate-limited wire."""

from stretto.launch.rig.rig import Rig
from stretto.launch.rig.spec import RigSpec, parse_rig

__all__ = ["Rig", "RigSpec", "parse_rig"]
