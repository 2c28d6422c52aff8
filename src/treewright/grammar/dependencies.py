"""The dependencies of a derivation, from whatever its leaves say."""

from treewright.data.records import Dependency, Derivation
from treewright.errors import GrammarError
from treewright.grammar.category import parse
from treewright.grammar.defaults import default_entry, default_unary
from treewright.grammar.heads import derive
from treewright.grammar.indices import indexed_dependencies, is_indexed
from treewright.grammar.markup import read_entry


def dependencies_of(derivation: Derivation) -> list[Dependency]:
    """Head indices are read off; markup without them (CCGbank's, or none) is unified."""
    try:
        if is_indexed(derivation):
            return indexed_dependencies(derivation)
        entries = [
            read_entry(leaf.markup) if "_" in leaf.markup else default_entry(parse(leaf.category))
            for leaf in derivation.leaves
        ]
        return derive(derivation, entries, default_unary)
    except ValueError as error:
        raise GrammarError(f"sentence {derivation.id}: {error}") from error
