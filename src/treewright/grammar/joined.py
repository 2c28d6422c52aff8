"""Numbered variables of which some become one."""


class Joined:
    """Disjoint sets of numbers from 0, each with one member that stands for all."""

    def __init__(self) -> None:
        self.parent: list[int] = []

    def new(self, count: int) -> list[int]:
        """New members, each in a set of its own."""
        first = len(self.parent)
        self.parent += range(first, first + count)
        return list(range(first, first + count))

    def find(self, member: int) -> int:
        """The member that stands for the set of this one."""
        while self.parent[member] != member:
            member = self.parent[member]
        return member

    def join(self, one: int, two: int) -> None:
        """Make one set of two; what stands for the first stands for both."""
        self.parent[self.find(two)] = self.find(one)
