"""The fields of a settings class, as both the reader and the writer see them."""

import dataclasses
from copy import copy
from typing import Any, get_type_hints


def setting(default: Any, comment: str = "") -> Any:
    """A dataclass field with a default, and the comment that `to_toml` prints above it.

    Another default of an inherited setting needs no comment of its own.
    """
    metadata = {"comment": comment}
    if isinstance(default, (list, dict)):
        return dataclasses.field(default_factory=lambda: copy(default), metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


def settings_of(cls: Any) -> dict[str, dataclasses.Field[Any]]:
    """The fields of a settings class that a file may set, by name."""
    return {field.name: field for field in dataclasses.fields(cls) if field.init}


def comment_of(cls: type, name: str) -> str:
    """The comment of a setting, its own or inherited."""
    fields = (getattr(each, "__dataclass_fields__", {}).get(name) for each in cls.__mro__)
    comments = (field.metadata.get("comment", "") for field in fields if field is not None)
    return next(filter(None, comments), "")


def types_of(cls: Any) -> dict[str, Any]:
    """The resolved annotations of a settings class, by field name."""
    return get_type_hints(cls)


def default_of(field: dataclasses.Field[Any]) -> Any:
    """A field's default value; `dataclasses.MISSING` where it is required."""
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


def is_settings_class(hint: Any) -> bool:
    """Whether an annotation is itself a dataclass, that is, a table in the file."""
    return isinstance(hint, type) and dataclasses.is_dataclass(hint)
