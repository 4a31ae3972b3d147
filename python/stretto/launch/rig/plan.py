"""What is where in a rig, and the commands that build its network, as plain data.

Pure: nothing here runs a command. Names and addresses are the same in every rig, because each rig
keeps all of its network in namespaces of its own: two rigs at once cannot see each other.
"""

from pathlib import Path

# An existing folder that programs have no business in: the rig's own files cover it, in the rig's
# mount namespace only. A folder of our own would have to be removed again.
RIG_ROOT = Path("/media")

# What the process that holds a rig and its owner say to each other.
READY = "ready\n"
DETACH = "detach\n"  # stay without an owner

RELAY_MODULE = "stretto.launch.rig.relay"  # holds frames back, where a rig has a delay

BRIDGE = "br0"
HOST_DEVICE = "eth0"
SUBNET = "10.77.0.0/24"
# Jumbo frames: each frame costs the sending core a timer and a trip through the kernel, which
# no real network does (docs/decisions/0007-jumbo-frames.md).
MTU_BYTES = 9000


def host_address(index: int) -> str:
    return f"10.77.0.{index + 1}"


def hosts_file(names: list[str]) -> str:
    """The /etc/hosts every host sees."""
    lines = ["127.0.0.1 localhost"]
    lines += [f"{host_address(index)} {name}" for index, name in enumerate(names)]
    return "\n".join(lines) + "\n"


def bridge_commands() -> list[list[str]]:
    """In the switch: the bridge all hosts hang on."""
    return [["ip", "link", "add", BRIDGE, "type", "bridge"], ["ip", "link", "set", BRIDGE, "up"]]


def port_name(index: int) -> str:
    """The switch's end of host `index`'s cable."""
    return f"port{index}"


def tap_name(index: int) -> str:
    """Where the frames of host `index`'s cable come to the bridge once they were held back."""
    return f"tap{index}"


def port_commands(
    index: int, host_pid: int, rate_kbit: int, *, delayed: bool = False
) -> list[list[str]]:
    """In the switch: host `index`'s cable, one end here and the other as its eth0.

    Of one that is `delayed` a relay moves frames between this end and a tap on the bridge.
    """
    port = port_name(index)
    mtu, netns = ["mtu", str(MTU_BYTES)], ["netns", str(host_pid)]
    return [
        ["ip", "link", "add", port, *mtu, "type", "veth", "peer", HOST_DEVICE, *mtu, *netns],
        *([] if delayed else [["ip", "link", "set", port, "master", BRIDGE]]),
        *_limit_commands(port, rate_kbit),
        ["ip", "link", "set", port, "up"],
    ]


def tap_commands(index: int) -> list[list[str]]:
    """In the switch: host `index`'s tap, which its relay has made, goes onto the bridge."""
    tap = tap_name(index)
    return [
        ["ip", "link", "set", tap, "mtu", str(MTU_BYTES)],
        ["ip", "link", "set", tap, "master", BRIDGE],
        ["ip", "link", "set", tap, "up"],
    ]


def host_commands(index: int, rate_kbit: int, *, delayed: bool = False) -> list[list[str]]:
    """In host `index`: its own end of the cable.

    Where frames are `delayed` they leave with their checksums, which no device would write later.
    """
    return [
        *([["ethtool", "-K", HOST_DEVICE, "tx", "off"]] if delayed else []),
        ["ip", "link", "set", "lo", "up"],
        ["ip", "address", "add", f"{host_address(index)}/24", "dev", HOST_DEVICE],
        *_limit_commands(HOST_DEVICE, rate_kbit),
        ["ip", "link", "set", HOST_DEVICE, "up"],
    ]


def burst_bytes(rate_kbit: int) -> int:
    """How much may leave at once: 32 KiB at 1 Gbit/s, in proportion, but at least a frame.

    A larger share of a message than this would cross unlimited; with less a queue may never hold
    the tokens for one frame.
    """
    return max(10 * 1024, 32 * 1024 * rate_kbit // 1_000_000)


def _limit_commands(device: str, rate_kbit: int) -> list[list[str]]:
    bucket = ["rate", f"{rate_kbit}kbit", "burst", str(burst_bytes(rate_kbit)), "latency", "50ms"]
    # With offloads on, the queue would see 64 KiB super-packets larger than its burst.
    return [
        ["ethtool", "-K", device, "tso", "off", "gso", "off", "gro", "off"],
        ["tc", "qdisc", "add", "dev", device, "root", "tbf", *bucket],
    ]
