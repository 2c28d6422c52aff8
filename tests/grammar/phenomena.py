r"""What the minibank is for, as questions about a derivation: each phenomenon by name.

A pattern is looked for in the lexical categories, one line for each word as `word POS category`; a
rule is `kind result`, a unary rule `un child result`.
"""

import re
from collections.abc import Iterator

from treewright.data.records import Derivation, Node, preorder
from treewright.grammar.rules import recognise

FEATURES = ["dcl", "b", "ng", "pss", "pt", "to", "q", "wq", "em", "adj"]
LEXICAL = {
    **{f"S[{f}]": rf" \(*S\[{f}\]" for f in FEATURES},
    "common noun": r"NNS? N$",
    "determiner": r"DT NP/N$",
    "adjective": r"JJ N/N$",
    "adverb after the verb": r"RB \(S\\NP\)\\\(S\\NP\)$",
    "adverb before the verb": r"RB \(S\\NP\)/\(S\\NP\)$",
    "auxiliary": r"MD \(S\[dcl\]\\NP\)/\(S\[b\]\\NP\)$",
    "PP complement": r"VB\w* \(S\[\w+\]\\NP\)/PP$",
    "object and PP": r"VB\w* \(\(S\[\w+\]\\NP\)/PP\)/NP$",
    "ditransitive": r"VB\w* \(\(S\[\w+\]\\NP\)/NP\)/NP$",
    "subject relative": r"\(NP\\NP\)/\(S\[dcl\]\\NP\)$",
    "object relative": r"\(NP\\NP\)/\(S\[dcl\]/NP\)$",
    "subject control": r"(wanted|tried) VBD \(S\[\w+\]\\NP\)/\(S\[to\]\\NP\)$",
    "object control": r"(asked|told|wanted) VBD \(\(S\[\w+\]\\NP\)/\(S\[to\]\\NP\)\)/NP$",
    "promise": r"promise\w* \w+ \(\(S\[\w+\]\\NP\)/\(S\[to\]\\NP\)\)/NP$",
    "raising": r"seem\w* \w+ \(S\[\w+\]\\NP\)/\(S\[to\]\\NP\)$",
    "raising adjective": r"likely JJ \(S\[adj\]\\NP\)/\(S\[to\]\\NP\)$",
    "expletive": r"NP\[expl\]$",
    "passive": r"VBN S\[pss\]\\NP$",
    "yes/no question": r" \(S\[q\]/\(S\[b\]\\NP\)\)/NP$",
    "object question": r" S\[wq\]/\(S\[q\]/NP\)$",
    "subject question": r" S\[wq\]/\(S\[dcl\]\\NP\)$",
    "which": r"which WDT \(S\[wq\]/\(S\[q\]/NP\)\)/N$",
    "adverbial question": r"WRB S\[wq\]/S\[q\]$",
    "sentential complement": r"VB\w* \(S\[\w+\]\\NP\)/S\[em\]$",
    "complement without that": r"VB\w* \(S\[\w+\]\\NP\)/S\[dcl\]$",
    "indirect question": r" S\[qem\]/S\[dcl\]$",
    "PP at a noun": r"IN \(NP\\NP\)/NP$",
    "PP at a verb": r"IN \(\(S\\NP\)\\\(S\\NP\)\)/NP$",
    "adverbial clause": r"IN \(S/S\)/S\[dcl\]$",
    "comma": r", , ,$",
}
RULES = {
    "type-raising": r"un NP S/\(S\\NP\)$",
    "bare noun phrase": r"un N NP$",
    "reduced relative": r"un S\[pss\]\\NP NP\\NP$",
    "relative without pronoun": r"un S\[dcl\]/NP NP\\NP$",
    "forward composition": r">B ",
    "backward composition": r"<B ",
    "backward crossed composition": r"<Bx ",
    "noun phrase coordination": r"&\[\] NP$",
    "verb phrase coordination": r"&\[\] S\[\w+\]\\NP$",
    "sentence coordination": r"&\[\] S\[dcl\]$",
    "right-node raising": r"&\[\] S\[dcl\]/NP$",
    "verb coordination": r"&\[\] \(S\[\w+\]\\NP\)/NP$",
    "argument cluster": r"&\[\] \(S\[dcl\]\\NP\)\\\(",
}
NAMES = [*LEXICAL, *RULES]


def shown(derivation: Derivation) -> set[str]:
    """The phenomena that a derivation shows."""
    words = [f"{leaf.word.lower()} {leaf.pos} {leaf.category}" for leaf in derivation.leaves]
    rules = list(_rules(derivation))
    return {
        name for name, pattern in LEXICAL.items() if any(re.search(pattern, w) for w in words)
    }.union(name for name, pattern in RULES.items() if any(re.match(pattern, r) for r in rules))


def _rules(derivation: Derivation) -> Iterator[str]:
    for node in preorder(derivation.root):
        if isinstance(node, Node):
            step = recognise(node)
            assert step
            child = f" {node.children[0].category}" if len(node.children) == 1 else ""
            yield f"{step.kind}{child} {node.category}"
