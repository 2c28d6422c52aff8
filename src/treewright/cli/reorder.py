"""`treewright reorder`: the words of dependency trees in another language's order."""

from pathlib import Path
from typing import Annotated

import typer


def command(
    trees: Annotated[Path, typer.Argument(help="Dependency trees, CoNLL-U.")],
    out: Annotated[
        Path | None, typer.Option(help="Write the trees with '# order =' comments here instead.")
    ] = None,
    rules: Annotated[
        str, typer.Option(help="A TOML file of rules, or a name: see treewright.grammar.reorder.")
    ] = "english-head-final",
) -> None:
    """Reorder sentences by rules on their trees, one line each."""
    from treewright.data import conllu
    from treewright.grammar.reorder import read_rules
    from treewright.train.supervision import order_of, with_order

    found, sentences = read_rules(rules), conllu.read(trees)
    if out is not None:
        conllu.write((with_order(tree, found) for tree in sentences), out)
        return
    for tree in sentences:
        typer.echo(" ".join(tree.forms[word - 1] for word in order_of(tree, found)))
