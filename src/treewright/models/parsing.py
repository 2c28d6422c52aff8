"""Parsing large files on a Ray cluster: pieces of the file to workers, results in order."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from treewright.errors import FormatError
from treewright.models.bundle import read_bundle
from treewright.models.kinds import Model, ParseOptions, Piece, kind_named, load
from treewright.train.cluster import Cluster


@dataclass(frozen=True)
class PieceParser:
    """Parses pieces of a file with the model at a path that all workers can read."""

    directory: Path
    source: Path
    format: str
    options: ParseOptions

    @cached_property
    def model(self) -> Model:
        return load(self.directory)

    def __call__(self, piece: Piece) -> list[str]:
        with TemporaryDirectory() as place:
            path = Path(place) / self.source.name
            path.write_bytes(piece.text.encode())
            try:
                return list(self.model.parse_file(path, self.format, self.options))
            except FormatError as error:
                line = error.line + piece.before
                raise FormatError(self.source, line, error.message) from None


def parse_on_cluster(
    address: str, directory: Path, source: Path, form: str, options: ParseOptions
) -> Iterator[str]:
    """What `Model.parse_file` gives, from the workers of a cluster."""
    kind = kind_named(read_bundle(directory).kind)
    quiet = replace(options, jobs=1, progress=False)
    parser = PieceParser(directory.resolve(), source, form, quiet)
    for blocks in Cluster.at(address).map(parser, kind.pieces(source)):
        yield from blocks
