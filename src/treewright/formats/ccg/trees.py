"""Derivations for other programs: XML and Prolog in C&C's manner."""

from collections.abc import Sequence
from xml.sax.saxutils import quoteattr

from treewright.data.records import Dependency, Derivation, Leaf, Node, fold
from treewright.formats.ccg.rules import rule_word
from treewright.grammar.category import Category, parse

# XML has no way to write these characters, escaped or not.
XML_FORBIDDEN = dict.fromkeys(
    (c for c in range(0x20) if c not in b"\t\n\r"), "\N{REPLACEMENT CHARACTER}"
)
PROLOG_HEADER = (
    r":- op(601, xfx, (/)), op(601, xfx, (\)), op(600, xfx, (:))." + "\n"
    ":- discontiguous ccg/2, w/5.\n"
)


def format_xml(derivation: Derivation, _: Sequence[Dependency]) -> str:
    """The derivation as C&C's XML has it: `rule` elements around `lf` elements."""

    def leaf(position: int, tree: Leaf) -> list[str]:
        names = {"start": str(position), "span": "1", "word": tree.word, "pos": tree.pos}
        return [f"<lf {_attributes(names | {'cat': tree.category})} />"]

    def node(tree: Node, children: list[list[str]]) -> list[str]:
        opening = f"<rule {_attributes({'type': rule_word(tree), 'cat': tree.category})}>"
        return [opening, *(f" {line}" for child in children for line in child), "</rule>"]

    lines = fold(derivation.root, leaf, node)
    body = "".join(f" {line}\n" for line in lines)
    return f"<ccg id={quoteattr(derivation.id.translate(XML_FORBIDDEN))}>\n{body}</ccg>\n"


def _attributes(values: dict[str, str]) -> str:
    clean = {name: value.translate(XML_FORBIDDEN) for name, value in values.items()}
    return " ".join(f"{name}={quoteattr(value)}" for name, value in clean.items())


def format_prolog(derivation: Derivation, _: Sequence[Dependency]) -> str:
    """The derivation as a Prolog fact `ccg(Id, Tree)`, then its words as `w(Id, N, ...)`.

    A file of these needs PROLOG_HEADER at its beginning, which makes slashes operators.
    """
    name = _quoted(derivation.id)
    tree = fold(
        derivation.root,
        lambda i, tree: f"lf({name},{i + 1},{prolog_category(parse(tree.category))})",
        lambda tree, children: (
            f"{rule_word(tree)}({prolog_category(parse(tree.category))},{','.join(children)})"
        ),
    )
    words = "".join(
        f"w({name},{i},{_quoted(leaf.word)},{_quoted(leaf.pos)},{_quoted(leaf.category)}).\n"
        for i, leaf in enumerate(derivation.leaves, start=1)
    )
    return f"ccg({name},{tree}).\n{words}"


def prolog_category(category: Category) -> str:
    r"""A category as a Prolog term: `(s:dcl\np)/np`."""
    parts: list[str] = []
    stack: list[Category | str] = [category]
    while stack:
        here = stack.pop()
        if isinstance(here, str):
            parts.append(here)
        elif here.slash is None:
            base = here.base.lower() if here.base.isalpha() else _quoted(here.base)
            parts.append(f"{base}:{here.feature.lower()}" if here.feature else base)
        else:
            parts.append("(")
            stack += [")", here.argument, here.slash, here.result]
    return "".join(parts) + (":conj" if category.conj else "")


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
