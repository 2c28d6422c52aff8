"""The interface of all analyses: scores, probabilities, alternatives, output formats.

A kind adds attributes of its formalism, such as trees, heads or tags. `docs/formats.md` describes
the JSON objects.
"""

from abc import ABC, abstractmethod
from math import exp, isfinite
from typing import Any, ClassVar, NoReturn, Self

from treewright.draw.arcs import Row, draw_arcs
from treewright.draw.svg import Picture, figure
from treewright.errors import ConfigError
from treewright.formats.objects import FORMAT, line

PICTURES = ("svg", "html")  # formats of every kind
SHOWN = 60  # characters of a sentence in a `repr`


class Analysis(ABC):
    """The analysis of one sentence; `str()` and notebooks draw it.

    kind: the kind of model. formats: output formats, the default first.
    """

    kind: str
    formats: ClassVar[tuple[str, ...]]

    def __reduce__(self) -> NoReturn:
        raise TypeError("an analysis stays with its model: give other processes its to_json()")

    @property
    @abstractmethod
    def words(self) -> tuple[str, ...]:
        """The words of the sentence."""

    @property
    @abstractmethod
    def score(self) -> float:
        """The unnormalised log weight of the analysis; -inf if there is no analysis.

        It does not depend on the decoder, so scores are comparable. The exceptions are bp and dd,
        whose scores are those of the joint model of parser and tagger.
        """

    @property
    def expected_gain(self) -> float | None:
        """The value that minimum-risk decoding maximised; None for Viterbi."""
        return None

    @property
    def log_z(self) -> float | None:
        """The log of the total weight of all analyses; None if the model cannot compute it."""
        return None

    @property
    def probability(self) -> float | None:
        """The probability of the analysis, exp(score - log_z), if the model can compute it."""
        return self._share(self.score, self.log_z)

    @property
    def parsed(self) -> bool:
        """Whether this is a full analysis, not fragments, a fallback or empty."""
        return isfinite(self.score)

    @property
    @abstractmethod
    def marginals(self) -> Any:
        """Marginal probabilities; what they are of depends on the kind."""

    @abstractmethod
    def kbest(self, k: int) -> "list[Self]":
        """At most k different analyses, best score first."""

    @abstractmethod
    def __str__(self) -> str: ...

    def __repr__(self) -> str:
        return f"{type(self).__name__}({' '.join(self.words)[:SHOWN]!r}, score {self.score:.4f})"

    def format(self, name: str, k: int = 1, marginals: bool = False) -> str:
        """The k best analyses in an output format; marginals are for JSON and drawings."""
        if name not in self.formats:
            raise ConfigError(f"unknown format {name!r}: one of {', '.join(self.formats)}")
        if name == "json":
            return line(self.to_json(k, marginals))
        if marginals and name not in PICTURES:
            raise ConfigError(f"the format {name!r} has no marginals: use json, svg or html")
        chosen = self.kbest(k) if k > 1 else [self]
        if name in PICTURES:
            return "".join(each.drawn(name, k > 1, marginals) for each in chosen)
        return "".join(each.written(name, listed=k > 1) for each in chosen)

    def picture(self, marginals: bool = False, width: float | None = None) -> Picture:
        """The drawing, shaded by probability, split into parts of at most `width` pixels."""
        del marginals
        return draw_arcs(Row(self.words), width)

    def drawn(self, name: str, listed: bool = False, marginals: bool = False) -> str:
        """The drawing as a one-line SVG document, or as an HTML figure."""
        picture = self.picture(marginals)
        if name == "svg":
            return picture.svg().replace("\n", " ") + "\n"
        text = self.sentence_values()["text"] or " ".join(self.words)
        return figure(picture, str(text), f"score {self.score:.4f}" if listed else "")

    def _repr_html_(self) -> str:
        return figure(self.picture(), "", styled=True)

    def _repr_svg_(self) -> str:
        return self.picture().svg()

    def to_json(self, k: int = 1, marginals: bool = False) -> dict[str, object]:
        """The analysis as a dictionary for JSON; docs/formats.md lists the keys."""
        head = {"format": FORMAT, "kind": self.kind}
        return head | self.sentence_values() | self.analysis_values(k, marginals)

    def analysis_values(self, k: int = 1, marginals: bool = False) -> dict[str, object]:
        """The analysis as a dictionary, without the sentence."""
        log_z = self.log_z
        values = {"parsed": self.parsed, **self._scored(self, log_z)}
        values["expected_gain"] = self.expected_gain
        if k > 1:
            listed = (each for each in self.kbest(k) if isfinite(each.score))
            values["kbest"] = [self._scored(each, log_z) for each in listed]
        if marginals:
            values["marginals"] = self.marginal_values()
        return values

    @staticmethod
    def _scored(each: "Analysis", log_z: float | None) -> dict[str, object]:
        score = each.score if isfinite(each.score) else None
        share = Analysis._share(each.score, log_z)
        return {"score": score, "probability": share, **each.choice_values()}

    @staticmethod
    def _share(score: float, log_z: float | None) -> float | None:
        if log_z is None or not isfinite(score) or not isfinite(log_z):
            return None
        return min(1.0, exp(score - log_z))

    @abstractmethod
    def written(self, name: str, listed: bool) -> str:
        """The analysis in a format other than JSON, with line ends; `listed`: one of several."""

    @abstractmethod
    def sentence_values(self) -> dict[str, object]:
        """The keys of the sentence: `formats.objects.sentence_object`."""

    @abstractmethod
    def choice_values(self) -> dict[str, object]:
        """The keys of this analysis, without its score."""

    @abstractmethod
    def marginal_values(self) -> object:
        """The marginals as a dictionary, by type of event."""
