"""The dependencies of a derivation, from whatever its leaves say."""

from treewright.data.records import Dependency, Derivation
from treewright.errors import GrammarError
from treewright.grammar.defaults import default_unary, leaf_entry
from treewright.grammar.heads import derive
from treewright.grammar.indices import indexed_dependencies, is_indexed


def dependencies_of(derivation: Derivation) -> list[Dependency]:
    """Head indices are read off; markup without them (CCGbank's, or none) is unified."""
    try:
        if is_indexed(derivation):
            return indexed_dependencies(derivation)
        return derive(derivation, [leaf_entry(leaf) for leaf in derivation.leaves], default_unary)
    except ValueError as error:
        raise GrammarError(f"sentence {derivation.id}: {error}") from error
