"""CCGbank files of either kind, AUTO (derivations) or PARG (dependencies)."""

from collections.abc import Iterator

from treewright.data.auto import read_auto
from treewright.data.braces import is_braced
from treewright.data.lines import MARK, AnyPath, peeked
from treewright.data.parg import read_parg
from treewright.data.records import Dependencies, Derivation
from treewright.errors import FormatError


def read_ccgbank(path: AnyPath) -> Iterator[Derivation | Dependencies]:
    """The sentences of a file, which may be a pipe, as derivations or as dependencies."""
    with peeked(path) as (first, file):
        line = first.removeprefix(MARK)
        if line.startswith("ID=") or is_braced(line):
            yield from read_auto(file)
        elif not line or line.startswith(("<s id=", "<s>")):
            yield from read_parg(file)
        else:
            raise FormatError(path, 1, "neither AUTO (ID=...) nor PARG (<s id=...)")
