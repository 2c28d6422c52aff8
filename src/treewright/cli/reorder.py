"""`treewright reorder`: put the words of dependency trees in another language's order."""

from pathlib import Path
from typing import Annotated

import typer


def command(
    trees: Annotated[Path, typer.Argument(help="Dependency trees in CoNLL-U.")],
    out: Annotated[
        Path | None,
        typer.Option(help="Write the trees to this file, with the new orders as comments."),
    ] = None,
    rules: Annotated[
        str, typer.Option(help="TOML file with rules, or name of a built-in rule set.")
    ] = "english-head-final",
) -> None:
    """Reorder words with rules on dependency trees."""
    from treewright.data import conllu
    from treewright.grammar.reorder import read_rules
    from treewright.train.supervision import order_of, with_order

    order_rules, sentences = read_rules(rules), conllu.read(trees)
    if out is not None:
        conllu.write((with_order(tree, order_rules) for tree in sentences), out)
        return
    for tree in sentences:
        typer.echo(" ".join(tree.forms[word - 1] for word in order_of(tree, order_rules)))
