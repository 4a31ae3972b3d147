"""Communicators as people name them."""

from dataclasses import dataclass

from stretto.data.profiles import Profile, RankProfile

CommKey = tuple[str, int, bool]


@dataclass(frozen=True)
class CommName:
    """The same on all ranks of a communicator."""

    name: str
    members: str = ""  # how many, where the name does not say that

    @property
    def is_world(self) -> bool:
        return self == WORLD

    def __str__(self) -> str:
        return f"{self.name} ({self.members})" if self.members else self.name


WORLD = CommName("world")


class CommNames:
    """Of all communicators of a profile, in the order of the ranks."""

    def __init__(self, profile: Profile) -> None:
        self._names: dict[CommKey, CommName] = {}
        world = profile.ranks[0].comms[0].members
        for rank in profile.ranks:
            for i in range(len(rank.comms)):
                self._names.setdefault(_key(rank, i), self._name(rank, i, world))

    def of(self, rank: RankProfile, comm: int) -> CommName | None:
        """A rank's communicator of that number; None: of a call that has none."""
        return self._names[_key(rank, comm)] if comm >= 0 else None

    def _name(self, rank: RankProfile, i: int, world: str) -> CommName:
        comm = rank.comms[i]
        members = "all ranks" if comm.members == world else f"{comm.size} ranks"
        if i == 0:
            return WORLD
        if comm.is_folded:
            return CommName("others")
        if comm.ordinal < 0:
            return CommName("some without collectives", members)
        return CommName(f"communicator {len(self._names)}", members)


def _key(rank: RankProfile, comm: int) -> CommKey:
    """The same on all ranks of a communicator; a rank's first is MPI_COMM_WORLD."""
    own = rank.comms[comm]
    return own.members, own.ordinal, comm == 0
