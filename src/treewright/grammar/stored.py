"""Compiled grammars as texts and arrays, as models store them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.config import from_dict, parse_toml, to_toml
from treewright.errors import StoreError
from treewright.grammar.category import Category, functor, parse
from treewright.grammar.compiled import Coarse, CompiledGrammar, CompiledRule, Numbering, Tables
from treewright.grammar.defaults import default_unary
from treewright.grammar.heads import UnaryMarkup
from treewright.grammar.markup import Marked, mark, read_entry
from treewright.grammar.rules import RuleSet
from treewright.storage.bundle import Bundle

WHERE = "rules.toml"
Arrays = dict[str, NDArray[Any]]


def grammar_bundle(grammar: CompiledGrammar) -> Bundle:
    """A grammar as a bundle of its own, for stages of training."""
    return Bundle("grammar", {}, grammar_arrays(grammar), grammar_texts(grammar))


def grammar_from_bundle(bundle: Bundle) -> CompiledGrammar:
    """The grammar in a bundle."""
    return stored_grammar(bundle.texts, bundle.arrays)


def grammar_texts(grammar: CompiledGrammar) -> dict[str, str]:
    """The names in a grammar's tables, one per line, and its rules as TOML."""
    tables, coarse = grammar.tables, grammar.coarse
    return {
        "rules.toml": to_toml(grammar.rules),
        "entries": _lines(map(str, tables.entries)),
        "symbols": _lines(f"{s.category}\t{_heads(s)}" for s in tables.symbols),
        "categories": _lines(f"{c}\t{coarse.categories[c]}" for c in tables.categories),
        "relations": _lines(f"{category}\t{slot}" for category, slot in tables.relations),
        "names": _lines("\t".join((*n, str(coarse.rules[n]))) for n in tables.names),
        "roots": _lines(f"{root}\t{count}" for root, count in coarse.roots.items()),
        "unary": _lines(_unary_line(grammar, pair) for pair in grammar.rules.unary),
    }


def _unary_line(grammar: CompiledGrammar, pair: tuple[str, str]) -> str:
    child, result = map(parse, pair)
    return "\t".join((*pair, _heads(grammar.unary(child, result))))


def _heads(marked: Marked) -> str:
    """The head variables of a category's nodes; annotated notation cannot represent [conj]."""
    return " ".join(map(str, marked.heads))


def _marked(category: Category, heads: str) -> Marked:
    return mark(category, heads.split())


def grammar_arrays(grammar: CompiledGrammar) -> Arrays:
    """The compiled rules."""
    pairs = sorted(grammar.tables.pairs.items())
    rules = [rule for _, listed in pairs for rule in listed]
    rows = [
        (r.left, r.right, r.result, r.number, r.form, r.head, r.variables, *map(len, r.maps))
        for r in rules
    ]
    maps = [variable for rule in rules for side in rule.maps for variable in side]
    empty = [pair for pair, listed in pairs if not listed]
    return {
        "rules": np.array(rows, dtype=np.int32).reshape(-1, 9),
        "maps": np.array(maps, dtype=np.uint8),
        "empty_pairs": np.array(empty, dtype=np.int32).reshape(-1, 2),
    }


def stored_grammar(texts: Mapping[str, str], arrays: Mapping[str, NDArray[Any]]) -> CompiledGrammar:
    """The grammar stored by `grammar_texts` and `grammar_arrays`."""
    try:
        rules = from_dict(RuleSet, parse_toml(texts["rules.toml"].encode(), WHERE), WHERE)
        tables, coarse = _tables(texts, arrays)
        return CompiledGrammar(rules, (), _unary_markup(texts["unary"]), coarse, tables)
    except (ValueError, IndexError) as error:
        raise StoreError(f"the model's grammar is damaged: {error}") from error


def _tables(texts: Mapping[str, str], arrays: Mapping[str, NDArray[Any]]) -> tuple[Tables, Coarse]:
    categories = _columns(texts["categories"])
    names = _columns(texts["names"])
    keys = [(left, right, result) for left, right, result, _ in names]
    coarse = Coarse(
        Counter({key: int(name[3]) for key, name in zip(keys, names, strict=True)}),
        Counter({category: int(count) for category, count in categories}),
        Counter({root: int(count) for root, count in _columns(texts["roots"])}),
    )
    tables = Tables(
        Numbering(category for category, _ in categories),
        Numbering(_marked(parse(text), heads) for text, heads in _columns(texts["symbols"])),
        Numbering(read_entry(line) for line in texts["entries"].split("\n")[:-1]),
        Numbering((category, int(slot)) for category, slot in _columns(texts["relations"])),
        Numbering(keys),
    )
    _fill_pairs(tables, arrays)
    return tables, coarse


def _fill_pairs(tables: Tables, arrays: Mapping[str, NDArray[Any]]) -> None:
    maps, at = arrays["maps"].reshape(-1).tolist(), 0
    for left, right, *columns, one, two in arrays["rules"].tolist():
        result, number, form, head, variables = columns
        middle, end = at + one, at + one + two
        both = tuple(maps[at:middle]), tuple(maps[middle:end])
        rule = CompiledRule(left, right, result, number, form, head, variables, both)
        tables.pairs.setdefault((left, right), []).append(rule)
        at = end
    for left, right in arrays["empty_pairs"].tolist():
        tables.pairs[left, right] = []


def _unary_markup(text: str) -> UnaryMarkup:
    known = {(child, result): heads for child, result, heads in _columns(text)}

    def markup(child: Category, result: Category) -> Marked:
        entry = known.get((child.text, result.text))
        if entry is None:
            return default_unary(child, result)
        return _marked(functor(result, "/", child), entry)

    return markup


def _columns(text: str) -> list[list[str]]:
    return [line.split("\t") for line in text.split("\n")[:-1]]


def _lines(items: Iterable[str]) -> str:
    return "".join(f"{item}\n" for item in items)
