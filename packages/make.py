"""Trains, packs and describes the models of a package: what `make models` runs.

    python -m packages.make packages/treewright-en --treebanks data --runs build/models

`parts.toml` says which models there are. A finished run is not trained again, and an unfinished one
goes on. Scores are those of the packed models on dev, from words alone (benchmarks/words_only.py).
The same treebanks give the same files, bit for bit.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks import words_only
from treewright.config import load as load_settings
from treewright.config import mapping_to_toml
from treewright.models.installed import FILE, Contents, Part
from treewright.models.kinds import load
from treewright.models.packing import PackSettings, pack
from treewright.models.training import read_plan, train
from treewright.storage.atomic import sha256_of
from treewright.train.run import MODEL, Run


@dataclass(frozen=True)
class Wanted:
    """A model to make; `inside` names the directory of one that comes with another.

    bits: of its weights. prune: how strongly its parts are pruned (`treewright pack`).
    pos_train: of a constituency parser.
    """

    kind: str
    train: Path
    dev: Path
    licence: str
    treebank: str
    config: str = ""
    inside: str = ""
    bits: int = 8
    prune: dict[str, float] = field(default_factory=dict)
    pos_train: Path | None = None

    @property
    def files(self) -> dict[str, Path]:
        """The settings that name treebanks."""
        more = {} if self.pos_train is None else {"pos_train": self.pos_train}
        return {"train": self.train, "dev": self.dev, **more}


@dataclass(frozen=True)
class Teacher:
    """A larger network for one training; `encoder` is a directory beside the treebanks."""

    config: str
    teaches: str
    encoder: Path
    treebanks: list[str]


@dataclass(frozen=True)
class Network:
    """Parsers that share a network, whose settings name the files of treebanks.

    `configs` are trainings one after the other: each begins with the packed model of the one
    before. Those in `taught` also learn from that model's probabilities, and one of them from the
    teacher's. `models` are settings that name models of other packages, by their directories;
    `helpers` are settings of the last training that name models, by the configurations that train
    them on the treebank of the same section.
    """

    configs: list[str]
    directory: str
    taught: list[str] = field(default_factory=list)
    files: dict[str, Path] = field(default_factory=dict)
    models: dict[str, Path] = field(default_factory=dict)
    helpers: dict[str, str] = field(default_factory=dict)
    teacher: Teacher | None = None

    def changes(self, treebanks: Path, packages: Path) -> list[str]:
        """The settings that are paths."""
        files = [f'{key}="{treebanks / file}"' for key, file in self.files.items()]
        return files + [f'{key}="{packages / model}"' for key, model in self.models.items()]


@dataclass(frozen=True)
class Parts:
    """What `parts.toml` says."""

    format: int
    default: str
    family: Network | None = None
    parts: dict[str, Wanted] = field(default_factory=dict)


def check_treebanks(wanted: Sequence[Wanted], treebanks: Path) -> None:
    """Ends with a list of the files that are missing."""
    needed = sorted({file for each in wanted for file in each.files.values()})
    if missing := [str(file) for file in needed if not (treebanks / file).is_file()]:
        sys.exit(
            f"make models needs treebanks that are not in {treebanks}: {', '.join(missing)}\n"
            "docs/data.md says where they come from; make models TREEBANKS=DIR names the directory"
        )


def trained(
    name: str, each: Wanted, package: Path, treebanks: Path, runs: Path, threads: int
) -> Path:
    """The model directory of a run, which is trained unless it is there."""
    run = runs / name
    if not (run / MODEL).is_dir():
        changes = [f'{key}="{treebanks / file}"' for key, file in each.files.items()]
        train(read_plan(package / each.config, changes), Run(run, threads=threads), "resume")
    return run / MODEL


def make_teacher(
    family: Network, teacher: Teacher, package: Path, treebanks: Path, runs: Path, threads: int
) -> Path:
    """The model directory of the teacher, which is trained unless it is there."""
    run = runs / f"{package.name}-teacher"
    if not (run / MODEL).is_dir():
        paths = family.changes(treebanks, package.parent.parent)
        changes = [each for each in paths if each.split(".")[0] in teacher.treebanks]
        changes.append(f'neural.encoder.name="{treebanks / teacher.encoder}"')
        train(read_plan(package / teacher.config, changes), Run(run, threads=threads), "resume")
    return run / MODEL


def make_helper(
    key: str, family: Network, package: Path, treebanks: Path, runs: Path, threads: int
) -> str:
    """The setting that names a helper's model, which is trained unless it is there."""
    config = package / family.helpers[key]
    run = runs / f"{package.name}-{config.stem}"
    if not (run / MODEL).is_dir():
        section = key.split(".", maxsplit=1)[0] + "."
        files = {
            k.removeprefix(section): v for k, v in family.files.items() if k.startswith(section)
        }
        changes = [f'{name}="{treebanks / file}"' for name, file in files.items()]
        train(read_plan(config, changes), Run(run, threads=threads), "resume")
    return f'{key}="{run / MODEL}"'


def make_family(family: Network, package: Path, treebanks: Path, runs: Path, threads: int) -> None:
    """Trains the network and its parsers, unless they are there, and packs them."""
    changes = family.changes(treebanks, package.parent.parent)
    before: Path | None = None
    for number, config in enumerate(family.configs, 1):
        run, packed = runs / f"{package.name}-{number}", runs / f"{package.name}-{number}-packed"
        if number == len(family.configs):
            packed = package / family.directory
            for key in family.helpers:
                changes.append(make_helper(key, family, package, treebanks, runs, threads))
        elif packed.is_dir():
            before = packed
            continue
        teachers = [before] if before and config in family.taught else []
        if (teacher := family.teacher) and config == teacher.teaches:
            made = make_teacher(family, teacher, package, treebanks, runs, threads)
            teachers.insert(0, made)
        begin = [f'neural.encoder.name="{before}"'] if before else []
        if teachers:
            names = ", ".join(f'"{each}"' for each in teachers)
            begin.append(f"neural.teachers=[{names}]")
        if not (run / MODEL).is_dir():
            plan = read_plan(package / config, [*changes, *begin])
            train(plan, Run(run, threads=threads), "resume")
        pack(run / MODEL, packed)
        before = packed


def described(name: str, each: Wanted, package: Path, treebanks: Path) -> Part:
    """What users are told of a model."""
    directory = each.inside or name
    found = words_only.scores(load(package / directory), treebanks / each.dev)
    scores = {metric: round(value, 2) for metric, value in found.items()}
    data = {str(file): sha256_of(treebanks / file) for file in each.files.values()}
    told = (each.kind, directory, each.licence, each.treebank, each.config, f"cards/{name}.md")
    return Part(*told, scores, data)


def chosen(parts: dict[str, Wanted], only: Sequence[str] | None) -> dict[str, Wanted]:
    """The parts of those names, with those that come inside them; all without names."""
    if unknown := sorted(set(only or ()) - set(parts)):
        sys.exit(f"--only: no part {', '.join(unknown)}; there are {', '.join(parts)}")
    names = {part: {part, each.inside.split("/")[0]} for part, each in parts.items()}
    return {n: each for n, each in parts.items() if not only or names[n].intersection(only)}


def write_contents(file: Path, parts: Parts, made: dict[str, Part]) -> None:
    """Writes what is in a package: parts made now, and the others as the file has them."""
    before = load_settings(Contents, file).parts if file.exists() else {}
    found = before | made
    entries = {name: asdict(found[name]) for name in parts.parts if name in found}
    contents = {"format": parts.format, "default": parts.default, "parts": entries}
    file.write_text(mapping_to_toml(contents), encoding="utf-8")


def main() -> None:
    """Makes all parts of a package, or some."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("package", type=Path)
    parser.add_argument("--treebanks", type=Path, default=Path("data"))
    parser.add_argument("--runs", type=Path, default=Path("build/models"))
    parser.add_argument("--threads", type=int, default=1, help="part of what decides the bits")
    parser.add_argument("--only", nargs="+", help="parts to make; the others stay as they are")
    options = parser.parse_args()
    parts = load_settings(Parts, options.package / "parts.toml")
    wanted = chosen(parts.parts, options.only)
    check_treebanks(list(wanted.values()), options.treebanks)
    package = options.package / options.package.name.replace("-", "_")
    if parts.family is not None:
        make_family(parts.family, package, options.treebanks, options.runs, options.threads)
    for name, each in wanted.items():
        if not each.inside:
            runs = options.runs / package.name
            model = trained(name, each, package, options.treebanks, runs, options.threads)
            pack(model, package / name, PackSettings(each.bits, parts=each.prune))
    made = {n: described(n, p, package, options.treebanks) for n, p in wanted.items()}
    write_contents(package / FILE, parts, made)


if __name__ == "__main__":
    main()
