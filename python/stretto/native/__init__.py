"""Stretto's own compiled parts: where they are, and what the tools among them answer."""

from stretto.native.parts import (
    VARIABLE,
    c_library,
    drop_in,
    include_dirs,
    native_dir,
    replay_tool,
    schedule_tool,
)

__all__ = [
    "VARIABLE",
    "c_library",
    "drop_in",
    "include_dirs",
    "native_dir",
    "replay_tool",
    "schedule_tool",
]
