"""Pieces of work: units of a request that workers process, such as sentences or paragraphs."""

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any, NamedTuple

CHARACTERS_PER_WORD = 6  # approximately, in English
TREEBANKS = ("conllu", "brackets", "auto")


class Task(NamedTuple):
    """What to do with sentences; sentences with the same task can be in one batch.

    settings: changes of the model's settings, such as its decoder.
    """

    model: str
    settings: tuple[tuple[str, str], ...] = ()
    formats: tuple[str, ...] = ()
    k_best: int = 1
    marginals: bool = False


@dataclass(frozen=True)
class Content:
    """Sentences of a request: text, tokens, or sentences of a treebank.

    kind: raw, sentences or tokens for text (None: the model's own), words for one tokenised
    sentence, conllu, brackets or auto for treebanks. start, line: the text's offset in the
    request's text, in characters and lines. name: the sentence's name, or a prefix of the numbers
    of a text's sentences until the number of earlier ones is known.
    """

    kind: str | None
    text: str = ""
    words: tuple[str, ...] = ()
    pos: tuple[str, ...] | None = None
    start: int = 0
    line: int = 0
    name: str = ""

    @property
    def size(self) -> int:
        """The approximate number of words."""
        return len(self.words) or 1 + len(self.text) // CHARACTERS_PER_WORD


@dataclass(eq=False)
class Piece:
    """A piece of a request; `answers` receives one line of JSON per sentence."""

    task: Task
    content: Content
    deadline: float  # by the monotonic clock
    flow: "Flow"
    done: asyncio.Future[list[bytes]]
    answers: list[bytes] = field(default_factory=list)
    attempts: int = 0
    place: tuple[float, int] | None = None  # position in the queue

    @property
    def seconds_left(self) -> float:
        return self.deadline - time.monotonic()

    def message(self) -> dict[str, Any]:
        """The piece in the form sent to workers."""
        content = {name: value for name, value in vars(self.content).items() if value}
        return {"content": content, "seconds": round(max(0.0, self.seconds_left), 3)}


@dataclass(eq=False)
class Flow:
    """A request in the queue: the position of the end of its last piece, and its waiting pieces."""

    last: float = 0.0
    waiting: int = 0
