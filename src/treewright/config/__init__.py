"""Settings: TOML files to frozen dataclasses and back.

A settings class is a plain frozen dataclass, its fields written with `setting(default, help)` or
any ordinary default. An unknown key is an error that names the file, the key and the closest known
one.
"""

from treewright.config.changes import changed
from treewright.config.fields import setting
from treewright.config.read import from_dict, load, parse_toml
from treewright.config.write import dump, mapping_to_toml, to_toml

__all__ = [
    "changed",
    "dump",
    "from_dict",
    "load",
    "mapping_to_toml",
    "parse_toml",
    "setting",
    "to_toml",
]
