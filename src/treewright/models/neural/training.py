"""Training of networks with several heads."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch
from torch import nn

from treewright.errors import ConfigError
from treewright.models.installed import model_directory, package_of
from treewright.models.neural.charts import training_charts
from treewright.models.neural.data import Corpus, Sentences, counted, read_corpus
from treewright.models.neural.forests import Forests, span_forests
from treewright.models.neural.members import ARCS, RULES, SLOTS, SPANS, SUPER
from treewright.models.neural.settings import DependencyHeadSettings, JointSettings
from treewright.models.neural.teacher import soft_labels
from treewright.neural.charts import ChartPart
from treewright.neural.dependency import ArcPart
from treewright.neural.encoder import Encoder
from treewright.neural.export import exported
from treewright.neural.finetune import check_start, onnx_library, start_from
from treewright.neural.heads import ArcHead, RuleHead, SlotHead, SpanHead, TagHead
from treewright.neural.network import Network, kept_encoder, new_encoder
from treewright.neural.parts import JointTask, Part
from treewright.neural.rules import RulePart
from treewright.neural.settings import NeuralSettings
from treewright.neural.slots import SlotPart
from treewright.neural.spans import SpanPart
from treewright.neural.tags import TagPart
from treewright.neural.teaching import SoftLabels, TaughtPart, of_arguments, of_trees, of_words
from treewright.neural.training import train_network
from treewright.scores.neural.network import LABELS, TOKENIZER, TrainedNetwork
from treewright.storage.bundle import MANIFEST, Bundle, made, read_bundle
from treewright.torch.trees import TreeLoss
from treewright.train.run import Run

NETWORK = "network"
SoftByHead = Mapping[str, Mapping[int, SoftLabels]]


def train_joint(settings: JointSettings, run: Run, heads: Collection[str] = ()) -> Bundle:
    """Trains the encoder and the given heads, or all; returns weights and label names."""
    torch.manual_seed(run.seed)
    trained = trained_model(name := settings.neural.encoder.name)
    known = made(TrainedNetwork.from_bundle, trained, name).labels if trained else {}
    corpus = read_corpus(settings, heads, run, known)
    if settings.neural.only_new_heads:  # further labels of known heads would not be learnt
        same = {name: known.get(name, each) for name, each in corpus.labels.items()}
        corpus = replace(corpus, labels=same)
    network, started = first_network(settings.neural, corpus.labels, trained)
    if settings.neural.only_new_heads:
        _freeze(network, trained, started, settings.neural)
    charts = training_charts(settings.ccg, corpus, run)
    learnt = {name: corpus.labels[name] for name in network.learnt_heads}
    soft = _soft_labels(settings.neural, learnt, corpus.train, run)
    task = joint_task(network, corpus, settings, charts, soft, run)
    labels = {name: len(each) for name, each in corpus.labels.items()}
    annotated = {name: len(corpus.train.gold[name]) for name in labels}
    sentences = len(corpus.train.words)
    run.record(sentences=sentences, labels=labels, annotated=annotated, fine_tuned=started)
    network.restore(train_network(task, run, NETWORK))
    kept = network.encoder.texts()
    texts = {**kept, **{name + LABELS: _lines(each) for name, each in corpus.labels.items()}}
    surface = network.settings.encoder.surface
    return Bundle(NETWORK, {"surface": surface}, network.arrays(), texts)


def _freeze(
    network: Network, trained: Bundle | None, started: Sequence[str], settings: NeuralSettings
) -> None:
    """Freezes the weights of a trained model, so that only the heads that it lacks learn."""
    name = settings.encoder.name
    if trained is None:
        raise ConfigError(f"only_new_heads: the encoder {name!r} is not a trained neural model")
    network.freeze(started)
    if not network.learnt_heads:
        raise ConfigError(f"only_new_heads: the model {name!r} has all heads for these treebanks")


def _soft_labels(
    settings: NeuralSettings, labels: Mapping[str, Sequence[str]], train: Sentences, run: Run
) -> SoftByHead:
    """The teachers' labels for the heads with these labels, if there are teachers."""
    teachers = [_teacher(name) for name in settings.teachers]
    return soft_labels(teachers, labels, train, run) if teachers else {}


def _teacher(name: str) -> TrainedNetwork:
    bundle = trained_model(name)
    if bundle is None:
        raise ConfigError(f"neural.teachers: no neural model {name!r}")
    return made(TrainedNetwork.from_bundle, bundle, name)


def first_network(
    settings: NeuralSettings, labels: Mapping[str, Sequence[str]], trained: Bundle | None
) -> tuple[Network, list[str]]:
    """A network to train, and the heads that are initialised from a trained one."""
    if trained is None:
        return new_network(new_encoder(settings.encoder), labels, settings), []
    onnx_library()
    return made(partial(_started, settings, labels), trained, settings.encoder.name)


def _started(
    settings: NeuralSettings, labels: Mapping[str, Sequence[str]], trained: Bundle
) -> tuple[Network, list[str]]:
    how = _with_surface(settings, trained)
    check_start(trained, how.encoder.surface)
    network = new_network(kept_encoder(how.encoder, trained.texts, {}), labels, how)
    return network, start_from(network, trained, labels)


def trained_model(name: str) -> Bundle | None:
    """The network of an installed model or model directory, if the name is that of one."""
    if Path(name).exists():
        directory = Path(name)
    elif package_of(name) is not None:
        directory = model_directory(name)
        directory = directory if directory.exists() else directory.parent  # one parser of a family
    else:
        return None
    if not (directory / MANIFEST).is_file():
        return None
    network = read_bundle(directory).parts.get(NETWORK)
    if network is None or TOKENIZER not in network.texts:
        raise ConfigError(f"encoder {name!r}: a model without a pretrained encoder")
    return network


def _with_surface(settings: NeuralSettings, network: Bundle) -> NeuralSettings:
    """The same settings, with the tables of case and affixes of a trained network."""
    surface = int(str(network.config.get("surface", settings.encoder.surface)))
    return replace(settings, encoder=replace(settings.encoder, surface=surface))


def exported_network(weights: Bundle, settings: NeuralSettings) -> Bundle:
    """The trained network in the form used for parsing."""
    labels = {
        name.removesuffix(LABELS): text.split("\n")[:-1]
        for name, text in weights.texts.items()
        if name.endswith(LABELS)
    }
    how = _with_surface(settings, weights)
    encoder = kept_encoder(how.encoder, weights.texts, weights.arrays)
    network = new_network(encoder, labels, how)
    network.restore(weights.arrays)
    return exported(network, labels, how.precision == "int8")


def new_network(
    encoder: Encoder, labels: Mapping[str, Sequence[str]], settings: NeuralSettings
) -> Network:
    """A network with a head per list of labels."""
    return Network(
        encoder,
        {name: _head(name, encoder.width, len(each), settings) for name, each in labels.items()},
        settings,
    )


def _head(name: str, width: int, labels: int, how: NeuralSettings) -> nn.Module:
    if name in (ARCS, SPANS):
        made = ArcHead if name == ARCS else SpanHead
        return made(width, labels, how.hidden, how.label_hidden, how.dropout)
    if name == SLOTS:
        return SlotHead(width, labels, how.label_hidden, how.dropout)
    if name == RULES:
        return RuleHead(width, labels, how.hidden, how.dropout)
    return TagHead(width, labels, how.hidden, how.dropout)


def joint_task(
    network: Network,
    corpus: Corpus,
    settings: JointSettings,
    charts: Forests | None = None,
    soft: SoftByHead = MappingProxyType({}),
    run: Run | None = None,
) -> JointTask:
    """The joint task over sentences prepared by the encoder.

    charts, soft: what is learnt in addition to gold: charts, and a teacher's labels.
    run: a run whose cluster sums over trees of labelled spans, if it has one.
    """
    heads = network.learnt_heads
    train, places = _repeated(corpus.train, heads)
    parts: list[Part] = [_part(name, corpus, places, settings, run) for name in heads]
    if charts is not None and charts.objective is not None:
        gold = _placed(charts.gold, places)
        scores = tuple(name for name in (SUPER, SLOTS, RULES) if name in corpus.labels)
        parts.append(ChartPart("charts", scores, charts.objective, gold))
    weights = {}
    for head, labels in soft.items():
        parts.append(_taught_part(head, _placed(labels, places)))
        weights[head] = 1.0 - settings.neural.teacher_weight
        weights[parts[-1].name] = settings.neural.teacher_weight
    prepare = network.encoder.prepare
    prepared = [prepare(words) for words in corpus.train.words]
    return JointTask(
        network,
        parts,
        [prepared[i] for i in train],
        [len(corpus.train.words[i]) for i in train],
        [prepare(words) for words in corpus.dev.words],
        [len(words) for words in corpus.dev.words],
        weights,
    )


def _taught_part(head: str, labels: Mapping[int, SoftLabels]) -> TaughtPart:
    log_z = {ARCS: of_trees, SLOTS: of_arguments}.get(head, of_words)
    return TaughtPart(f"{head} of the teacher", head, log_z, labels)


def _repeated(sentences: Sentences, heads: Sequence[str]) -> tuple[list[int], list[list[int]]]:
    """Sentences with gold for these heads as often as in an epoch, and the indices of each."""
    used = set(chain.from_iterable(sentences.gold[name] for name in heads))
    repeat = enumerate(sentences.repeat)
    order = list(chain.from_iterable([i] * times for i, times in repeat if i in used))
    places: list[list[int]] = [[] for _ in sentences.words]
    for place, i in enumerate(order):
        places[i].append(place)
    return order, places


def _placed(gold: Mapping[int, Any], places: Sequence[Sequence[int]]) -> dict[int, Any]:
    return {place: each for i, each in gold.items() for place in places[i]}


def _part(
    name: str,
    corpus: Corpus,
    places: Sequence[Sequence[int]],
    settings: JointSettings,
    run: Run | None,
) -> Part:
    gold, dev = _placed(corpus.train.gold[name], places), corpus.dev.gold.get(name, {})
    if name == ARCS:
        return ArcPart(name, _tree_loss(settings.dep), gold, dev)
    if name == SLOTS:
        return SlotPart(name, gold, dev)
    if name == RULES:
        return RulePart(name, corpus.labels[name], gold, dev)
    if name == SPANS:
        chains = [counted(label) for label in corpus.labels[name]]
        spans = span_forests(settings.const, corpus, run)
        return SpanPart(name, spans.objective, chains, _placed(spans.gold, places), dev)
    return TagPart(name, gold, dev)


def _tree_loss(how: DependencyHeadSettings) -> TreeLoss | None:
    if how.local:
        return None
    name: Any = how.objective.name
    return TreeLoss(name, how.objective.loss, how.objective.tau)


def _lines(items: Sequence[str]) -> str:
    return "".join(f"{item}\n" for item in items)
