"""Writes settings as TOML: each key with its value, below the comment of its field."""

import json
import re
from collections.abc import Mapping
from dataclasses import MISSING, Field, is_dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from treewright.config.fields import (
    comment_of,
    default_of,
    is_settings_class,
    settings_of,
    types_of,
)


def to_toml(config: object) -> str:
    """All settings of a dataclass (an instance, or a class for its defaults) as commented TOML.

    The text of an instance reads back as an equal instance. Values that TOML cannot represent
    (None, or a class's required value) are commented out.
    """
    return "\n".join(_table(config, "")) + "\n"


def mapping_to_toml(mapping: Mapping[str, object]) -> str:
    """Nested plain values as TOML; None values are left out."""
    return "".join(f"{line}\n" for line in _mapping(mapping, ""))


def dump(config: object, path: str | PathLike[str]) -> None:
    """Writes `to_toml(config)` to a file."""
    Path(path).write_text(to_toml(config), encoding="utf-8")


def _table(config: object, prefix: str) -> list[str]:
    """The lines of a table: plain keys first, then sub-tables."""
    lines: list[str] = []
    tables: list[str] = []
    cls = config if isinstance(config, type) else type(config)
    hints = types_of(cls)
    for name, field in settings_of(config).items():
        value, comments = _value_of(config, field, hints[name]), _comments(cls, name, hints[name])
        if is_dataclass(value):
            path = f"{prefix}{_key(name)}"
            tables += ["", *comments, f"[{path}]", *_table(value, path + ".")]
        else:
            lines += [*comments, _assignment(name, value)]
    return lines + tables


def _mapping(mapping: Mapping[str, object], prefix: str) -> list[str]:
    tables = {name: item for name, item in mapping.items() if isinstance(item, Mapping)}
    plain = {name: item for name, item in mapping.items() if name not in tables}
    lines = [_assignment(name, item) for name, item in plain.items() if item is not None]
    for name, table in tables.items():
        path = f"{prefix}{_key(name)}"
        lines += [f"[{path}]", *_mapping(table, path + ".")]
    return lines


def _value_of(config: object, field: Field[Any], hint: Any) -> Any:
    if not isinstance(config, type):
        return getattr(config, field.name)
    value = default_of(field)
    return hint if value is MISSING and is_settings_class(hint) else value


def _comments(cls: type, name: str, hint: Any) -> list[str]:
    lines = [f"# {line}" for line in comment_of(cls, name).splitlines()]
    if get_origin(hint) is Literal:
        lines.append("# one of: " + ", ".join(map(_value, get_args(hint))))
    return lines


def _assignment(name: str, value: object) -> str:
    if value is None:
        return f"# {_key(name)} = (not set)"
    if value is MISSING:
        return f"# {_key(name)} = (required)"
    return f"{_key(name)} = {_value(value)}"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _string(name)


def _value(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case str() | Path():
            return _string(str(value))
        case list() | tuple():
            return "[" + ", ".join(map(_value, value)) + "]"
        case Mapping():
            return _inline(value)
        case _ if is_dataclass(value):
            return _inline({name: getattr(value, name) for name in settings_of(value)})
    raise TypeError(f"cannot write a value of type {type(value).__name__}")


def _inline(table: Mapping[str, object]) -> str:
    pairs = (f"{_key(name)} = {_value(item)}" for name, item in table.items() if item is not None)
    return "{" + ", ".join(pairs) + "}"


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
