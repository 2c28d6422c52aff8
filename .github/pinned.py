"""Requirements with versions and hashes, for `pip install --require-hashes`, from a report of pip.

python .github/pinned.py dependencies.json > requirements.txt
"""

import json
import sys
from pathlib import Path
from typing import Any

OWN = "treewright"


def pinned(report: dict[str, Any]) -> list[str]:
    """One line per package that was installed, Treewright itself left out."""
    lines = []
    for each in report["install"]:
        name, version = each["metadata"]["name"], each["metadata"]["version"]
        if name.lower() != OWN:
            digest = each["download_info"]["archive_info"]["hashes"]["sha256"]
            lines.append(f"{name}=={version} --hash=sha256:{digest}")
    return sorted(lines, key=str.lower)


if __name__ == "__main__":
    lines = pinned(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    sys.stdout.writelines(f"{line}\n" for line in lines)
