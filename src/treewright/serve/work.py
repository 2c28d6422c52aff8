"""A worker's processing of a batch: reads the pieces, parses their sentences, writes JSON.

Pieces are isolated: one that is malformed, too long or too slow does not affect the others.
"""

import json
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from treewright.errors import DeadlineError, TreewrightError
from treewright.inference.deadline import time_limit
from treewright.models.contract import Analysis, Parser
from treewright.serve.frames import Frame, Kind
from treewright.serve.models import Models
from treewright.serve.pieces import Content, Task
from treewright.serve.problems import BUG, Problem, ProblemError, refused, too_late
from treewright.serve.reading import sentences_of, size
from treewright.serve.settings import Limits

log = logging.getLogger(__name__)
Send = Callable[[Frame], None]


@dataclass(eq=False)
class Job:
    """A piece in a worker: its sentences, the number of answers, and its deadline."""

    number: int
    content: Content
    begin: float
    seconds: float
    sentences: list[Any] = field(default_factory=list)
    answered: int = 0

    @property
    def seconds_left(self) -> float:
        return self.begin + self.seconds - time.monotonic()


class BatchWork:
    """A batch: a task and its jobs."""

    def __init__(self, models: Models, limits: Limits, message: bytes, send: Send) -> None:
        given, now = json.loads(message), time.monotonic()
        self.models, self.limits, self.send = models, limits, send
        self.task = _task(given["task"])
        pieces = enumerate(given["pieces"])
        self.jobs = [Job(i, _content(p["content"]), now, p["seconds"]) for i, p in pieces]

    def run(self) -> None:
        """Answers every piece."""
        parser = self._parser()
        if parser is not None:
            open_jobs = [job for job in self.jobs if self._read(parser, job)]
            self._parse(parser, sorted(open_jobs, key=lambda job: job.content.size))

    def _parser(self) -> Parser[Analysis] | None:
        try:
            return self.models.variant(self.task.model, self.task.settings)
        except TreewrightError as error:
            for job in self.jobs:
                self._fail(job, error)
            return None

    def _read(self, parser: Parser[Analysis], job: Job) -> bool:
        try:
            job.sentences = sentences_of(parser, job.content)
            check_sizes(job.sentences, self.limits)
        except Exception as error:  # noqa: BLE001 - whatever it is, the other pieces go on
            self._fail(job, error)
            return False
        return True

    def _parse(self, parser: Parser[Analysis], jobs: Sequence[Job]) -> None:
        """Parses all sentences together.

        After an error, continues with the remaining ones, singly after a bug.
        """
        while jobs := [job for job in jobs if not self._late(job)]:
            try:
                with time_limit(min(job.seconds_left for job in jobs)):
                    self._answer(parser, jobs)
                return
            except DeadlineError:
                jobs = [job for job in jobs if job.answered < len(job.sentences)]
            except Exception as error:  # noqa: BLE001 - a worker outlives what it is sent
                self._one_by_one(parser, jobs, error)
                return

    def _one_by_one(self, parser: Parser[Analysis], jobs: Sequence[Job], error: Exception) -> None:
        left = [job for job in jobs if job.answered < len(job.sentences)]
        if len(left) == 1:
            self._fail(left[0], error)
        for job in left if len(left) > 1 else ():
            self._parse(parser, [job])

    def _answer(self, parser: Parser[Analysis], jobs: Sequence[Job]) -> None:
        for job in jobs:
            if not job.sentences:
                self.send(Frame(Kind.DONE, job.number))
        waiting = [(job, s) for job in jobs for s in job.sentences[job.answered :]]
        analyses = parser.parse_many(sentence for _, sentence in waiting)
        for (job, _), analysis in zip(waiting, analyses, strict=True):
            answer = self._encoded(parser, analysis)
            job.answered += 1
            is_last = job.answered == len(job.sentences)
            self.send(Frame(Kind.DONE if is_last else Kind.ANSWER, job.number, answer))
            if not is_last and job.seconds_left <= 0:
                raise DeadlineError

    def _encoded(self, parser: Parser[Analysis], analysis: Analysis) -> bytes:
        values = analysis.to_json(self.task.k_best, self.task.marginals)
        if self.task.formats:
            k, formats = self.task.k_best, self.task.formats
            values["formats"] = {name: _whole(parser, analysis, name, k) for name in formats}
        return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode()

    def _late(self, job: Job) -> bool:
        if job.seconds_left > 0:
            return False
        self._fail(job, ProblemError(too_late(self.limits.seconds)))
        return True

    def _fail(self, job: Job, error: Exception) -> None:
        report = json.dumps(vars(problem_of(error))).encode()
        self.send(Frame(Kind.FAILED, job.number, report))


def _whole(parser: Parser[Analysis], analysis: Analysis, name: str, k: int) -> str:
    """The text of a file with only this sentence."""
    before, after = parser.frames.get(name, ("", ""))
    return before + analysis.format(name, k) + after


def problem_of(error: Exception) -> Problem:
    """The problem report of an error."""
    match error:
        case ProblemError():
            return error.problem
        case TreewrightError():
            return Problem(422, "unfit", str(error))
        case MemoryError():
            return Problem(503, "memory", "there is not enough memory for this request", 10)
    log.error("a request failed", exc_info=error)
    return BUG


def check_sizes(sentences: Sequence[Any], limits: Limits) -> None:
    """Raises an error if there are too many sentences, or one has too many words."""
    if len(sentences) > limits.sentences:
        raise refused(422, "sentences", f"more than {limits.sentences} sentences")
    for number, words in enumerate(map(size, sentences), start=1):
        if words > limits.words:
            found = f"sentence {number} has {words} words; the limit is {limits.words}"
            raise refused(422, "words", found)


def _task(values: Sequence[Any]) -> Task:
    model, settings, formats, k_best, marginals = values
    return Task(model, tuple(map(tuple, settings)), tuple(formats), k_best, marginals)


def _content(values: dict[str, Any]) -> Content:
    known = {"kind": None, **values}
    for name in ("words", "pos"):
        if name in known:
            known[name] = tuple(known[name])
    return Content(**known)


def batches(receive: Callable[[], Frame | None]) -> Iterator[bytes]:
    """Yields the messages of batches until the server is gone."""
    while frame := receive():
        yield frame.body
