"""Single settings from the command line, on top of a file: `--set optimiser.prior=0.5`."""

import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

from treewright.errors import ConfigError


def changed(mapping: Mapping[str, Any], changes: Iterable[str]) -> dict[str, Any]:
    """The mapping with every `key=value` applied; keys are dotted, values TOML or plain text."""
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
        table[last] = _value(text)
    return result


def _copy(mapping: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _copy(item) if isinstance(item, Mapping) else item for name, item in mapping.items()
    }


def _value(text: str) -> Any:
    try:
        found = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return text
    return found["value"] if len(found) == 1 else text
