"""Changes of single settings: `--set optimiser.prior=0.5`."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from treewright.config.fields import is_settings_class, types_of
from treewright.errors import ConfigError


def changed(
    mapping: Mapping[str, Any], changes: Iterable[str], settings: type | None = None
) -> dict[str, Any]:
    """The mapping with each `key=value` applied; keys are dotted, values TOML or plain text.

    If the setting is a text or a path, quotes around its value are optional, even if it looks like
    a number.
    """
    result = _copy(mapping)
    for change in changes:
        key, equals, text = change.partition("=")
        if not equals or not all(name.strip() for name in key.split(".")):
            raise ConfigError(f"--set {change}: expected key=value")
        *path, last = (name.strip() for name in key.split("."))
        table = result
        for name in path:
            table = table.setdefault(name, {})
            if not isinstance(table, dict):
                raise ConfigError(f"--set {change}: '{name}' is not a table")
        value = _value(text)
        plain = not isinstance(value, str) and settings is not None
        table[last] = text if plain and _takes_text(settings, (*path, last)) else value
    return result


def _takes_text(hint: Any, path: Sequence[str]) -> bool:
    """Whether the setting at a path is a text or a path."""
    for name in path:
        hint = types_of(hint).get(name) if is_settings_class(hint) else None
    members = {each for each in get_args(hint) or (hint,) if each is not NoneType}
    return members in ({str}, {Path}) and get_origin(hint) in (None, Union, UnionType)


def _copy(mapping: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _copy(item) if isinstance(item, Mapping) else item for name, item in mapping.items()
    }


def _value(text: str) -> Any:
    try:
        parsed = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    return parsed["value"] if len(parsed) == 1 else text
