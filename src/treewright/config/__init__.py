"""Settings: TOML files to frozen dataclasses and back.

A settings class is a plain frozen dataclass, its fields written with `setting(default, help)` or
any ordinary default. An unknown key is an error that names the file, the key and the closest known
one.
"""

from treewright.config.fields import setting
from treewright.config.read import from_dict, load
from treewright.config.write import dump, to_toml

__all__ = ["dump", "from_dict", "load", "setting", "to_toml"]
