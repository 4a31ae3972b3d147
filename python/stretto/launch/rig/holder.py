"""The process a rig lives in: PID 1 of the rig's own process namespace.

Started under `unshare --pid --fork --kill-child --mount --net`, with the rig as JSON in its only
argument. It makes the hosts, says "ready", and waits for its owner to close the pipe or to go away.
Whatever ends it - the owner leaving, the owner killed, this process killed - the kernel then kills
every process of the rig and drops its network and mounts with the last of them: nothing needs to
be cleaned up, so nothing can be left behind.
"""

import json
import shlex
import signal
import subprocess
import sys

from stretto.launch.rig import plan
from stretto.launch.rig.plan import DETACH, READY, RELAY_MODULE, RIG_ROOT

# Replaces the process by CMD on HOST, in that host's namespaces. /proc is mounted again because
# the caller may be in a process namespace of its own, inside the rig's.
ENTER = f"""#!/bin/sh
host={RIG_ROOT}/$1; shift
[ -d "$host" ] || {{ echo "no host ${{host##*/}} in this rig" >&2; exit 5; }}
export TMPDIR={RIG_ROOT}/tmp
exec nsenter --net="$host/ns/net" --uts="$host/ns/uts" --ipc="$host/ns/ipc" \\
    --mount="$host/ns/mnt" -- taskset --cpu-list "$(cat "$host/cores")" unshare --mount -- \\
    sh -c 'mount -t proc proc /proc && cd "$0" && exec "$@"' "$PWD" "$@"
"""

# Stands in for ssh: options are for ssh alone, and the words of the command are one shell line.
# Each daemon has its own TMPDIR: they name their folders by their process number, which is the same
# in each launch, and the kernel may end one before it has removed its folder.
AGENT = f"""#!/bin/sh
while [ "${{1#-}}" != "$1" ]; do shift; done
host=$1; shift
exec {RIG_ROOT}/enter "$host" sh -c "TMPDIR=\\$(mktemp -d) || exit; export TMPDIR; $*"
"""

UNSHARE_HOST = ["unshare", "--net", "--uts", "--ipc", "--mount", "--"]

# What turns an unshared process into a host: the rest is done from outside, by `ip`.
BECOME_HOST = f"""
hostname "$1" &&
mount -t tmpfs tmpfs /dev/shm &&
mount -t tmpfs tmpfs {RIG_ROOT}/tmp &&
mount --bind {RIG_ROOT}/hosts /etc/hosts &&
echo ready &&
exec sleep infinity
"""


def main() -> None:
    spec = json.loads(sys.argv[1])
    _make_rig_root(spec["hosts"])
    _run(plan.bridge_commands())
    delayed = spec["delay_us"] > 0
    for index, name in enumerate(spec["hosts"]):
        _make_host(index, name, spec["rate_kbit"], spec["cores"][index], delayed=delayed)
    if delayed:
        _delay(len(spec["hosts"]), spec["delay_us"])
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # as PID 1 we inherit orphans: no zombies
    print(READY, end="", flush=True)
    if sys.stdin.readline() == DETACH:
        _wait_forever()


def _make_rig_root(names: list[str]) -> None:
    _run([["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", str(RIG_ROOT)]])
    for folder in ("proc", "tmp", *names):
        (RIG_ROOT / folder).mkdir()
    _run([["mount", "-t", "proc", "proc", target] for target in ("/proc", f"{RIG_ROOT}/proc")])
    (RIG_ROOT / "hosts").write_text(plan.hosts_file(names))
    for script, text in (("enter", ENTER), ("agent", AGENT)):
        (RIG_ROOT / script).write_text(text)
        (RIG_ROOT / script).chmod(0o755)


def _delay(hosts: int, delay_us: int) -> None:
    """Start the relay between cables and bridge; it ends with this process namespace."""
    relay = subprocess.Popen(
        [sys.executable, "-P", "-m", RELAY_MODULE, str(hosts), str(delay_us)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    assert relay.stdout is not None
    if relay.stdout.readline() != b"ready\n":
        sys.exit("frames cannot be delayed: is there a /dev/net/tun?")
    for index in range(hosts):
        _run(plan.tap_commands(index))


def _make_host(index: int, name: str, rate_kbit: int, cores: str, *, delayed: bool) -> None:
    host = subprocess.Popen(
        [*UNSHARE_HOST, "sh", "-c", BECOME_HOST, "sh", name],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    assert host.stdout is not None
    if host.stdout.readline() != b"ready\n":
        sys.exit(f"host {name} could not be set up")
    (RIG_ROOT / name / "ns").symlink_to(RIG_ROOT / "proc" / str(host.pid) / "ns")
    (RIG_ROOT / name / "cores").write_text(cores)
    _run(plan.port_commands(index, host.pid, rate_kbit, delayed=delayed))
    inside = ["nsenter", f"--net=/proc/{host.pid}/ns/net", "--"]
    commands = plan.host_commands(index, rate_kbit, delayed=delayed)
    _run([inside + command for command in commands])


def _run(commands: list[list[str]]) -> None:
    for command in commands:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            sys.exit(f"{shlex.join(command)}: {done.stderr.strip() or done.stdout.strip()}")


def _wait_forever() -> None:
    while True:
        signal.pause()


if __name__ == "__main__":
    main()
