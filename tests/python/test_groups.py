"""Tests of one xdist_group run on one worker, as a rig may not be set up twice at once."""

import pytest


def test_all_groups_are_seen(request: pytest.FixtureRequest) -> None:
    if not getattr(request.config.option, "loadgroup", False):
        pytest.skip("not run by several workers with --dist loadgroup")
    of_a_group = [item for item in request.session.items if item.get_closest_marker("xdist_group")]
    # pytest-xdist adds the group to the name: with another pytest it did so in vain.
    assert [item.nodeid for item in of_a_group if "@" not in item.nodeid] == []
