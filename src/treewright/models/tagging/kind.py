"""What part-of-speech taggers and supertaggers share as kinds of models."""

from collections.abc import Callable
from typing import Any

from treewright.models.contract import Analysis, Parser
from treewright.models.kinds import Kind
from treewright.models.tagging.evaluation import Columns, evaluation, oracle
from treewright.storage.bundle import Bundle
from treewright.storage.pruning import FeatureTable
from treewright.train.run import Run


def tagger_kind(
    name: str,
    settings: type,
    train: Callable[[Any, Run], Parser[Analysis]],
    load: Callable[[Bundle], Parser[Analysis]],
    columns: Columns,
    neural: str,
) -> Kind:
    """A kind of tagger, whose files have these columns; `neural` names its kind with a network."""
    return Kind(
        name,
        settings,
        train,
        load,
        ray=True,
        evaluation=evaluation(columns),
        oracle=oracle(columns),
        table=FeatureTable("keys", "row_first", ("row_tag",), ("local", "chain"), fine=("chain",)),
        rounded=("bigram", "trigram"),
        scorers={"neural": f"treewright.models.neural.scorers:{neural}"},
    )
