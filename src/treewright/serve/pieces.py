"""Pieces of work: what workers get, sentence by sentence or paragraph by paragraph."""

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any, NamedTuple

CHARACTERS_PER_WORD = 6  # about, in English
TREEBANKS = ("conllu", "brackets", "auto")


class Task(NamedTuple):
    """What is to be done with sentences; those with the same task are worked on together.

    settings: changes of the model's settings, such as its decoder.
    """

    model: str
    settings: tuple[tuple[str, str], ...] = ()
    formats: tuple[str, ...] = ()
    k_best: int = 1
    marginals: bool = False


@dataclass(frozen=True)
class Content:
    """Sentences as they came: text, tokens, or a treebank's sentences.

    kind: raw, sentences or tokens for text (None: the model's own), words for one tokenised
    sentence, conllu, brackets or auto for treebanks. start, line: the text's place in the request's
    text, in characters and lines. name: the sentence's, or what stands before the numbers of a
    text's sentences until it is known how many there are before them.
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
        """About how many words."""
        return len(self.words) or 1 + len(self.text) // CHARACTERS_PER_WORD


@dataclass(eq=False)
class Piece:
    """A piece of a request; `answers` get one line of JSON per sentence."""

    task: Task
    content: Content
    deadline: float  # of the monotonic clock
    flow: "Flow"
    done: asyncio.Future[list[bytes]]
    answers: list[bytes] = field(default_factory=list)
    attempts: int = 0
    place: tuple[float, int] | None = None  # in the queue

    @property
    def seconds_left(self) -> float:
        return self.deadline - time.monotonic()

    def message(self) -> dict[str, Any]:
        """The piece as a worker gets it."""
        content = {name: value for name, value in vars(self.content).items() if value}
        return {"content": content, "seconds": round(max(0.0, self.seconds_left), 3)}


@dataclass(eq=False)
class Flow:
    """One request's share of the queue: where its last piece ends, and how many pieces wait."""

    last: float = 0.0
    waiting: int = 0
