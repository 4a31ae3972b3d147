"""Stretto's own compiled parts: where they are, and what the tools among them answer."""

from stretto.native.parts import VARIABLE, drop_in, native_dir, replay_tool, schedule_tool

__all__ = ["VARIABLE", "drop_in", "native_dir", "replay_tool", "schedule_tool"]
