"""Model packages for tests that appear to be installed; nothing is built or copied."""

import tomllib
from pathlib import Path

ENGLISH = Path(__file__).parents[1] / "packages" / "treewright-en"
BIOMEDICAL = ENGLISH.with_name("treewright-en-bio")
NEURAL = ENGLISH.with_name("treewright-en-neural")


def site_of(package: Path, site: Path) -> Path:
    """A directory for sys.path in which a package of models is installed."""
    project = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module = package.name.replace("-", "_")
    info = site / f"{module}-{project['version']}.dist-info"
    info.mkdir(parents=True)
    names = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (info / "METADATA").write_text(names, encoding="utf-8")
    lines = []
    for group, points in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (site / module).symlink_to(package / module)
    return site
