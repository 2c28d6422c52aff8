"""Settings as dataclass fields: defaults, comments and types."""

import dataclasses
from copy import copy
from typing import Any, get_type_hints


def setting(default: Any, comment: str = "") -> Any:
    """A dataclass field with a default, and a comment that `to_toml` prints above it.

    An inherited setting with another default needs no comment.
    """
    metadata = {"comment": comment}
    if isinstance(default, (list, dict)):
        return dataclasses.field(default_factory=lambda: copy(default), metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


def settings_of(cls: Any) -> dict[str, dataclasses.Field[Any]]:
    """The settings of a class by name."""
    return {field.name: field for field in dataclasses.fields(cls) if field.init}


def comment_of(cls: type, name: str) -> str:
    """The comment of a setting; it can be inherited."""
    fields = (getattr(each, "__dataclass_fields__", {}).get(name) for each in cls.__mro__)
    comments = (field.metadata.get("comment", "") for field in fields if field is not None)
    return next(filter(None, comments), "")


def types_of(cls: Any) -> dict[str, Any]:
    """The resolved annotations of a settings class, by field name."""
    return get_type_hints(cls)


def default_of(field: dataclasses.Field[Any]) -> Any:
    """The default of a field; `dataclasses.MISSING` if it is required."""
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


def is_settings_class(hint: Any) -> bool:
    """Whether an annotation is a dataclass, which is a table in the file."""
    return isinstance(hint, type) and dataclasses.is_dataclass(hint)
