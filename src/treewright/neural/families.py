"""Families of pretrained transformers: one architecture under several names.

BERT (Devlin et al. 2019), RoBERTa (Liu et al. 2019) and its multilingual and French kin, ELECTRA
(Clark et al. 2020), DistilBERT (Sanh et al. 2019) and MPNet (Song et al. 2020) stack the same
layers. They differ in what `config.json` and the weights are called, in where positions begin, and
in a few embeddings.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from treewright.scores.neural.checks import BEHIND_PADDING


@dataclass(frozen=True)
class Family:
    """What a family calls the parts of a network.

    Attributes:
        prefix: of the names of weights in files with a head.
        config: names in `config.json`, and BERT's.
        names: parts of BERT's names of weights, and what stands there in a file; in order.
        types: whether there are embeddings of segments.
    """

    prefix: str
    config: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    types: bool = True

    def in_file(self, name: str) -> str:
        """The name in a file of the weight that is called `name` here."""
        for ours, theirs in self.names.items():
            name = name.replace(ours, theirs)
        return name


BERT = Family("bert.")
ELECTRA = Family("electra.", names={"embeddings.project": "embeddings_project"})
ROBERTA = Family("roberta.")
DISTILBERT = Family(
    "distilbert.",
    {
        "dim": "hidden_size",
        "n_layers": "num_hidden_layers",
        "n_heads": "num_attention_heads",
        "hidden_dim": "intermediate_size",
        "activation": "hidden_act",
    },
    {
        "attention.self.query": "attention.q_lin",
        "attention.self.key": "attention.k_lin",
        "attention.self.value": "attention.v_lin",
        "attention.output.dense": "attention.out_lin",
        "attention.output.LayerNorm": "sa_layer_norm",
        "intermediate.dense": "ffn.lin1",
        "output.dense": "ffn.lin2",
        "output.LayerNorm": "output_layer_norm",
        "encoder.layer": "transformer.layer",
    },
    types=False,
)
MPNET = Family(
    "mpnet.",
    {},
    {
        "attention.self.query": "attention.attn.q",
        "attention.self.key": "attention.attn.k",
        "attention.self.value": "attention.attn.v",
        "attention.output.dense": "attention.attn.o",
        "attention.output.LayerNorm": "attention.LayerNorm",
        "embeddings.relative.bias": "encoder.relative_attention_bias",
    },
    types=False,
)
FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        "bert": BERT,
        "electra": ELECTRA,
        "distilbert": DISTILBERT,
        "mpnet": MPNET,
        **dict.fromkeys(sorted(BEHIND_PADDING - {"mpnet"}), ROBERTA),
    }
)
