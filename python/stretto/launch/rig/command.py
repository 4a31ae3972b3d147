"""The builders' command `tools/rig`: make, use, list and end rigs."""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from typing import NoReturn

from stretto.errors import EnvironmentUnusable, InputError, StrettoError
from stretto.launch.base import Abi, Launcher, Start
from stretto.launch.failure import require_success
from stretto.launch.process import launch
from stretto.launch.program import inspect
from stretto.launch.registry import choose_launcher, known_launchers
from stretto.launch.rig import census
from stretto.launch.rig.rig import Rig, enter_command, require_usable, start_detached
from stretto.launch.rig.spec import RigSpec, parse_delay, parse_rate

_EXAMPLES = """examples:
  tools/rig run --hosts 4 --ppn 2 --rate 1gbit -- ./program args
  tools/rig up lab --hosts 2 --rate 200mbit
  tools/rig exec lab host1 ping -c 3 host0
  tools/rig down lab
"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise InputError(message)


def main() -> None:
    """Run the command line this process was given."""
    sys.exit(run_command(sys.argv[1:]))


def run_command(words: Sequence[str]) -> int:
    """Run one command line; its exit code, with one line said where that is ours and not 0."""
    try:
        options = _parser().parse_args(words)
        code: int = options.action(options)
        return code
    except StrettoError as error:
        print(f"rig: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="rig",
        description="Several hosts on one machine, joined by a rate-limited wire (needs root).",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = parser.add_subparsers(parser_class=_Parser, required=True, metavar="ACTION")

    run = actions.add_parser("run", help="run an MPI program on a rig that lives as long as it")
    _add_spec(run, ppn=True)
    run.add_argument("--mpi", choices=list(Abi), help="default: the program's own")
    run.add_argument("--timeout", type=float, metavar="SECONDS")
    run.add_argument("argv", nargs="+", metavar="-- PROGRAM ARGS")
    run.set_defaults(action=_run)

    up = actions.add_parser("up", help="make a rig that stays until `down`")
    up.add_argument("name")
    _add_spec(up, ppn=False)
    up.set_defaults(action=_up)

    enter = actions.add_parser("exec", help="run a command on a host of a rig made by `up`")
    enter.add_argument("name")
    enter.add_argument("host")
    enter.add_argument("argv", nargs=argparse.REMAINDER, metavar="COMMAND")
    enter.set_defaults(action=_exec)

    down = actions.add_parser("down", help="end a rig made by `up`")
    down.add_argument("name")
    down.set_defaults(action=_down)

    actions.add_parser("list", help="show all rigs").set_defaults(action=_list)
    clean = actions.add_parser("clean", help="end rigs whose owner is gone, and no others")
    clean.set_defaults(action=_clean)
    return parser


def _add_spec(parser: argparse.ArgumentParser, ppn: bool) -> None:
    parser.add_argument("--hosts", type=int, required=True)
    if ppn:
        parser.add_argument("--ppn", type=int, default=1, help="ranks a host (default 1)")
    parser.add_argument("--rate", required=True, help="of every link, e.g. 200mbit or 1gbit")
    parser.add_argument("--delay", default="0us", help="of every frame, e.g. 1ms (default none)")
    parser.add_argument("--pin", action="store_true", help="keep host i on core i")


def _spec(options: argparse.Namespace, ppn: int) -> RigSpec:
    rate, delay = parse_rate(options.rate), parse_delay(options.delay)
    return RigSpec(options.hosts, ppn, rate, options.pin, delay)


def _run(options: argparse.Namespace) -> int:
    spec = _spec(options, options.ppn)
    require_usable()
    program = inspect(options.argv, needs_mpi=options.mpi is None)
    mpi: Launcher = choose_launcher(program) if options.mpi is None else _launcher(options.mpi)
    with Rig(spec) as rig:
        command = rig.launcher(mpi).command(Start(spec.ranks, program.argv))
        outcome = launch(command, timeout_s=options.timeout)
    require_success(options.argv[0], outcome, options.timeout)
    return 0


def _launcher(mpi: str) -> Launcher:
    for launcher in known_launchers():
        if Abi(mpi) in launcher.starts:
            return launcher
    raise EnvironmentUnusable(f"no launcher of {mpi} on PATH: install it or load its module")


def _up(options: argparse.Namespace) -> int:
    if census.find(options.name) is not None:
        raise InputError(f"a rig named {options.name} is already up")
    spec = _spec(options, 1)
    start_detached(spec, options.name)
    print(f"{options.name}: {', '.join(spec.host_names)}")
    return 0


def _exec(options: argparse.Namespace) -> int:
    rig = _find(options.name)
    require_usable()
    if options.host not in rig.hosts:
        raise InputError(f"rig {rig.name} has no host {options.host}: {', '.join(rig.hosts)}")
    if not options.argv:
        raise InputError(f"say what to run on {options.host}")
    # Like ssh: the command's own exit code is ours.
    command = enter_command(rig.holder_pid, options.host, options.argv)
    return subprocess.run(command, check=False).returncode


def _down(options: argparse.Namespace) -> int:
    census.end(_find(options.name))
    return 0


def _list(_options: argparse.Namespace) -> int:
    for rig in census.live_rigs():
        print(f"{rig.name}  {rig.spec}  owned by {_owner(rig)}")
    return 0


def _owner(rig: census.LiveRig) -> str:
    if rig.owner is None:
        return "nobody"
    if rig.is_elsewhere:
        return f"process {rig.owner} of another process namespace"
    return f"process {rig.owner}{' (gone)' if rig.is_orphan else ''}"


def _clean(_options: argparse.Namespace) -> int:
    for rig in census.live_rigs():
        if rig.is_orphan:
            census.end(rig)
            print(f"ended {rig.name}")
    return 0


def _find(name: str) -> census.LiveRig:
    rig = census.find(name)
    if rig is None:
        names = ", ".join(rig.name for rig in census.live_rigs())
        raise InputError(f"no rig is named {name} (there are: {names or 'none'})")
    return rig


if __name__ == "__main__":
    main()
