"""The addresses and commands of a rig, as data."""

import ipaddress

from stretto.launch.rig import plan
from stretto.launch.rig.spec import MAX_HOSTS


def test_every_host_has_its_own_address_in_the_subnet() -> None:
    addresses = {ipaddress.ip_address(plan.host_address(index)) for index in range(MAX_HOSTS)}
    assert len(addresses) == MAX_HOSTS
    subnet = ipaddress.ip_network(plan.SUBNET)
    assert all(address in list(subnet.hosts()) for address in addresses)


def test_hosts_file_names_all_hosts() -> None:
    lines = plan.hosts_file(["host0", "host1"]).splitlines()
    assert lines[1:] == ["10.77.0.1 host0", "10.77.0.2 host1"]


def test_burst_is_as_measured_and_never_below_a_frame() -> None:
    assert plan.burst_bytes(1_000_000) == 32 * 1024
    assert plan.burst_bytes(200_000) == 10 * 1024
    assert plan.burst_bytes(1_000) > plan.MTU_BYTES + 14


def test_both_ends_are_limited_and_stripped_of_offloads_before_they_go_up() -> None:
    ends = [plan.port_commands(3, 77, 200_000), plan.host_commands(3, 200_000)]
    for device, commands in zip(["port3", plan.HOST_DEVICE], ends, strict=True):
        up = commands.index(["ip", "link", "set", device, "up"])
        first_words = [words[0] for words in commands]
        offloads, limit = first_words.index("ethtool"), first_words.index("tc")
        assert offloads < up
        assert limit < up
        assert device in commands[offloads]
        assert device in commands[limit]
        assert "200000kbit" in commands[limit]


def test_a_delayed_cable_is_not_on_the_bridge_but_its_tap_is() -> None:
    on_bridge = ["master", plan.BRIDGE]
    assert any(words[-2:] == on_bridge for words in plan.port_commands(0, 77, 1_000))
    delayed = plan.port_commands(0, 77, 1_000, delayed=True)
    assert not any(words[-2:] == on_bridge for words in delayed)
    assert any(words[-2:] == on_bridge for words in plan.tap_commands(0))
    # Nobody else would write the checksums of frames that a process reads and writes again.
    assert ["ethtool", "-K", plan.HOST_DEVICE, "tx", "off"] in plan.host_commands(
        0, 1_000, delayed=True
    )
