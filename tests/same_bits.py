"""Hashes of the output and the numbers of small models of all kinds.

`make simd` runs this with cores built for different instruction sets, and compares the hashes.
"""

import json
import sys
import warnings
from hashlib import sha256
from typing import Any

import numpy as np

from tests.models.test_contract import MODELS, model_named, sentences_for
from treewright import _core
from treewright.experiments.core.toy import HASH_SPACE, ToyParser, sample
from treewright.losses import BatchObjective, objective_named
from treewright.losses.settings import NAMES


def digest(values: object) -> str:
    return sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]


def of_model(name: str) -> dict[str, str]:
    """Trains a model and parses with it."""
    model = model_named(name)
    found = list(model.parse_many(sentences_for(model.kind)))
    arrays = {key: each.tobytes().hex() for key, each in model.bundle().arrays.items()}
    return {
        "analyses": digest([each.choice_values() for each in found]),
        "numbers": digest([each.to_json(3, True) for each in found]),
        "weights": digest(arrays),
    }


def of_objective(name: str) -> dict[str, str]:
    """A value and a gradient."""
    parser, weights = ToyParser(), np.random.default_rng(0).normal(size=HASH_SPACE)
    examples = [parser.example(sentence) for sentence in sample(20, 1)]
    objective = BatchObjective(objective_named(name), examples, HASH_SPACE, 1)
    value, gradient = objective.value_and_gradient(weights)
    return {"value": value.hex(), "gradient": digest(gradient.tobytes().hex())}


def main() -> None:
    model_named("dep arc-eager")  # its treebank has the sentences of all dep models
    found: dict[str, Any] = {name: of_objective(name) for name in NAMES}
    found |= {name: of_model(name) for name in MODELS if not name.startswith("neural")}
    sys.stderr.write(_core.simd_level() + "\n")
    sys.stdout.write(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
