"""CCGbank files of either kind, AUTO (derivations) or PARG (dependencies)."""

from collections.abc import Iterator

from treewright.data.auto import read_auto
from treewright.data.braces import is_braced
from treewright.data.lines import AnyPath, read_lines
from treewright.data.parg import read_parg
from treewright.data.records import Dependencies, Derivation
from treewright.errors import FormatError


def read_ccgbank(path: AnyPath) -> Iterator[Derivation] | Iterator[Dependencies]:
    """The sentences of a file, as derivations or as dependencies."""
    _, first = next(read_lines(path))
    if first.startswith("ID=") or is_braced(first):
        return read_auto(path)
    if first.startswith(("<s id=", "<s>")):
        return read_parg(path)
    raise FormatError(path, 1, "neither AUTO (ID=...) nor PARG (<s id=...)")
