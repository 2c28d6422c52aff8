"""The shared state of the routes: pool, limits and metrics."""

from collections.abc import AsyncIterator
from typing import Any

from treewright.machine import peak_rss_mb
from treewright.serve import wire
from treewright.serve.metrics import Metrics
from treewright.serve.pieces import Task
from treewright.serve.pool import Pool
from treewright.serve.problems import refused
from treewright.serve.settings import ServerSettings


class Service:
    """Turns requests into tasks for the pool."""

    def __init__(self, settings: ServerSettings, pool: Pool) -> None:
        self.settings, self.pool = settings, pool
        self.metrics = Metrics()

    @property
    def default(self) -> str:
        return str(self.pool.models[0]["name"])

    def task(self, how: wire.How, **more: Any) -> Task:
        """The task of a request; an unknown model or format is an error."""
        task = how.task(self.default, **more)
        model = self._model(task.model)
        if unknown := [name for name in task.formats if name not in model["formats"]]:
            known = ", ".join(model["formats"])
            raise refused(422, "format", f"unknown format {unknown[0]!r}: one of {known}")
        if task.k_best > (most := self.settings.limits.k_best):
            raise refused(422, "k-best", f"at most {most} analyses per sentence")
        return task

    def _model(self, name: str) -> dict[str, Any]:
        for model in self.pool.models:
            if model["name"] == name:
                return model
        known = ", ".join(model["name"] for model in self.pool.models)
        raise refused(404, "model", f"there is no model {name!r}: one of {known}")

    def cuts_text(self, task: Task) -> bool:
        """Whether the model of a task accepts text that is not tokenised."""
        return "raw" in self._model(task.model)["text"]

    async def lines(self, request: wire.Source, task: Task) -> AsyncIterator[bytes]:
        """The analyses of a request as lines of JSON."""
        limits, count = self.settings.limits, 0
        if len(request.sentences or ()) > limits.sentences:
            raise refused(422, "sentences", f"more than {limits.sentences} sentences")
        contents = list(request.contents())
        answers = self.pool.answers(task, contents, limits.seconds)
        for content in contents:
            found = await anext(answers)
            if count + len(found) > limits.sentences:
                raise refused(422, "sentences", f"more than {limits.sentences} sentences")
            for line in found:
                yield wire.numbered(line, content, count)
            count += len(found)

    def gauges(self) -> dict[str, tuple[str, float]]:
        """The current state of the pool, for metrics."""
        counts = self.pool.counts
        return {
            "workers": ("gauge", self.pool.alive),
            "queue_length": ("gauge", len(self.pool.queue)),
            "batches_total": ("counter", counts["batches"]),
            "batched_pieces_total": ("counter", counts["pieces"]),
            "sentences_total": ("counter", counts["sentences"]),
            "retries_total": ("counter", counts["retries"]),
            "worker_replacements_total": ("counter", counts["replacements"]),
            "peak_memory_megabytes": ("gauge", peak_rss_mb()),
        }
