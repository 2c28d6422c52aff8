"""Reads settings from TOML or mappings, with type checks.

Supported types: bool, int, float, str, Path, Literal, unions (also with None), lists, tuples, dicts
with string keys, and nested dataclasses.
"""

import difflib
import math
import re
import reprlib
import tomllib
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin

from treewright.config.fields import default_of, is_settings_class, settings_of, types_of
from treewright.errors import ConfigError

T = TypeVar("T")
MAX_DEPTH = 100  # nesting depth of tables and lists
LONGEST = 200  # characters of a key in messages
# Maximum number of parts of a key: tomllib takes quadratic time in it.
DOTTED = re.compile(rb"(?:[\w\-\"' \t]{1,99}\.){%d}" % MAX_DEPTH)


def load(cls: type[T], path: str | PathLike[str]) -> T:
    """Reads a TOML file as an instance of the dataclass `cls`."""
    return from_dict(cls, parse_toml(Path(path).read_bytes(), fspath(path)), fspath(path))


def parse_toml(content: bytes, where: str) -> dict[str, Any]:
    """Parses TOML to plain values; errors start with `where`, the source's name."""
    if DOTTED.search(content):
        raise ConfigError(f"{where}: tables more than {MAX_DEPTH} deep")
    try:
        found = tomllib.loads(content.decode())
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{where}: not valid TOML: {error!s:.200}") from error
    _check_plain(found, where)
    return found


def _check_plain(values: object, where: str) -> None:
    """Raises an error for integers beyond TOML's range and for deeply nested tables."""
    stack = [(values, 0)]
    while stack:
        value, depth = stack.pop()
        if depth > MAX_DEPTH:
            raise ConfigError(f"{where}: tables more than {MAX_DEPTH} deep")
        if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
            raise ConfigError(f"{where}: a whole number of more than 64 bits")
        if isinstance(value, dict):
            value = list(value.values())
        if isinstance(value, list):
            stack += [(each, depth + 1) for each in value]


def from_dict(cls: type[T], mapping: Mapping[str, object], where: str) -> T:
    """Creates an instance of `cls` from a mapping; errors start with `where`, the source's name."""
    return _settings(cls, mapping, _Place(where))


@dataclass(frozen=True)
class _Place:
    """The dotted key of a value and its source, for messages."""

    source: str
    key: str = ""

    def child(self, name: str) -> "_Place":
        name = name if len(name) <= LONGEST else name[:LONGEST] + "..."
        return _Place(self.source, f"{self.key}.{name}" if self.key else name)

    def item(self, index: int) -> "_Place":
        return _Place(self.source, f"{self.key}[{index}]")

    def wrong(self, wanted: str, value: object) -> ConfigError:
        subject = f"key '{self.key}'" if self.key else "the settings"
        plain = isinstance(value, (bool, int, float, str))
        shown = reprlib.repr(value) if plain else type(value).__name__
        return ConfigError(f"{self.source}: {subject} must be {wanted}, not {shown}")


def _settings(cls: type[T], value: object, place: _Place, base: object = MISSING) -> T:
    """The settings in a table; missing ones are taken from `base`, or are the class's defaults."""
    table = _table(value, place)
    fields = settings_of(cls)
    for name in table:
        if name not in fields:
            raise _unknown_key(name, cls, place)
    for name, field in fields.items():
        if name not in table and base is MISSING and default_of(field) is MISSING:
            raise ConfigError(f"{place.source}: missing key '{place.child(name).key}'")
    hints = types_of(cls)
    values = {
        name: _settings(hints[name], item, place.child(name), _default(base, fields[name]))
        if is_settings_class(hints[name])
        else _convert(hints[name], item, place.child(name))
        for name, item in table.items()
    }
    try:
        return cls(**values) if base is MISSING else replace(cast(Any, base), **values)
    except ValueError as error:  # from a check in __post_init__
        section = f"[{place.key}] " if place.key else ""
        raise ConfigError(f"{place.source}: {section}{error}") from error


def _default(base: object, field: Field[Any]) -> object:
    """The default of a nested table."""
    return default_of(field) if base is MISSING else getattr(base, field.name)


def _convert(hint: Any, value: object, place: _Place) -> Any:
    if is_settings_class(hint):
        return _settings(hint, value, place)
    convert = _CONVERTERS.get(get_origin(hint) or hint)
    if convert is None:
        raise TypeError(f"setting '{place.key}' has a type that TOML cannot represent: {hint!r}")
    return convert(hint, value, place)


def _scalar(hint: Any, value: object, place: _Place) -> object:
    if not isinstance(value, hint) or (isinstance(value, bool) and hint is not bool):
        raise place.wrong(_SCALARS[hint], value)
    return value


def _float(_: Any, value: object, place: _Place) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise place.wrong("a number", value)
    try:
        number = float(value)
    except OverflowError:
        raise place.wrong("a number that fits in double precision", value) from None
    if math.isnan(number):
        raise place.wrong("a number", value)
    return number


def _path(_: Any, value: object, place: _Place) -> Path:
    if not isinstance(value, (str, Path)):
        raise place.wrong("a path (a string)", value)
    return Path(value)


def _literal(hint: Any, value: object, place: _Place) -> object:
    choices = get_args(hint)
    for choice in choices:
        if value == choice and type(value) is type(choice):
            return choice
    error = place.wrong("one of " + ", ".join(map(repr, choices)), value)
    raise ConfigError(f"{error}{_suggestion(value, choices)}")


def _union(hint: Any, value: object, place: _Place) -> Any:
    members = [member for member in get_args(hint) if member is not types.NoneType]
    nothing = value is None or (value == "" and Path in members)  # a cyclic path
    if nothing and len(members) < len(get_args(hint)):
        return None
    if len(members) == 1:
        return _convert(members[0], value, place)
    for member in members:
        try:
            return _convert(member, value, place)
        except ConfigError:
            continue
    raise place.wrong(" or ".join(getattr(m, "__name__", str(m)) for m in members), value)


def _list(hint: Any, value: object, place: _Place) -> list[Any]:
    (member,) = get_args(hint)
    return [_convert(member, v, place.item(i)) for i, v in enumerate(_items(value, place))]


def _tuple(hint: Any, value: object, place: _Place) -> tuple[Any, ...]:
    members, items = get_args(hint), _items(value, place)
    if members[-1] is Ellipsis:
        members = (members[0],) * len(items)
    if len(members) != len(items):
        raise place.wrong(f"a list of {len(members)} values", value)
    pairs = enumerate(zip(members, items, strict=True))
    return tuple(_convert(member, item, place.item(i)) for i, (member, item) in pairs)


def _dict(hint: Any, value: object, place: _Place) -> dict[str, Any]:
    member = get_args(hint)[1]
    table = _table(value, place)
    return {name: _convert(member, item, place.child(name)) for name, item in table.items()}


_SCALARS = {bool: "true or false", int: "an integer", str: "a string"}
_CONVERTERS: dict[Any, Callable[[Any, object, _Place], Any]] = {
    **dict.fromkeys(_SCALARS, _scalar),
    float: _float,
    Path: _path,
    Literal: _literal,
    Union: _union,
    types.UnionType: _union,
    list: _list,
    tuple: _tuple,
    dict: _dict,
}


def _table(value: object, place: _Place) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise place.wrong("a table", value)
    return value


def _items(value: object, place: _Place) -> list[object] | tuple[object, ...]:
    if not isinstance(value, (list, tuple)):
        raise place.wrong("a list", value)
    return value


def _unknown_key(name: str, cls: type, place: _Place) -> ConfigError:
    known = list(settings_of(cls))
    hint = f"; known keys: {', '.join(known)}"
    if deeper := _key_below(name, cls):
        hint = f"; did you mean '{place.child(deeper).key}'?"
    elif close := _suggestion(name, known):
        hint = close
    return ConfigError(f"{place.source}: unknown key '{place.child(name).key}'{hint}")


def _key_below(name: str, cls: type) -> str | None:
    """The dotted key of a setting of that name in a table below `cls`, the least deep one."""
    tables = [("", cls)]
    for prefix, table in tables:
        hints = types_of(table)
        if prefix and name in settings_of(table):
            return prefix + name
        tables += [
            (f"{prefix}{n}.", hints[n]) for n in settings_of(table) if is_settings_class(hints[n])
        ]
    return None


def _suggestion(value: object, known: list[str] | tuple[object, ...]) -> str:
    names = [name for name in known if isinstance(name, str)]
    close = difflib.get_close_matches(str(value), names, n=1)
    return f"; did you mean '{close[0]}'?" if close else ""
