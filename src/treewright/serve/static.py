"""The files of the web page, held in memory: request paths never reach the file system."""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable

from treewright.draw.style import STYLE

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".json": "application/json",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
}
INDEX = "index.html"


@dataclass(frozen=True)
class File:
    """The content of a file, its type, and a tag that changes with the content."""

    content: bytes
    media_type: str
    tag: str


def static_files() -> dict[str, File]:
    """All files of the page by their names, with / between folders."""
    root = files("treewright.serve") / "static"
    drawing = {"drawing.css": _file(STYLE.encode(), ".css")}
    return drawing | (dict(_below(root, "")) if root.is_dir() else {})


def _below(folder: Traversable, prefix: str) -> Iterator[tuple[str, File]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _below(entry, f"{prefix}{entry.name}/")
            continue
        suffix = "." + entry.name.rpartition(".")[2]
        if suffix in TYPES:
            yield prefix + entry.name, _file(entry.read_bytes(), suffix)


def _file(content: bytes, suffix: str) -> File:
    return File(content, TYPES[suffix], f'"{sha256(content).hexdigest()[:16]}"')
