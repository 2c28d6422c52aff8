"""Problem reports for clients (RFC 9457)."""

import json
from dataclasses import dataclass
from http import HTTPStatus

from treewright.errors import TreewrightError

MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True)
class Problem:
    """A problem report; `code` is for programs, `detail` for people."""

    status: int
    code: str
    detail: str
    retry_after: int | None = None

    def body(self) -> bytes:
        """The report as JSON."""
        values = {
            "type": "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
        }
        return json.dumps(values, ensure_ascii=False).encode(errors="replace")

    def headers(self) -> dict[str, str]:
        """Header fields of the answer, other than its type."""
        return {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}


class ProblemError(TreewrightError):
    """A request that cannot be answered."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem = problem

    def __str__(self) -> str:
        return self.problem.detail


def refused(status: int, code: str, detail: str, retry_after: int | None = None) -> ProblemError:
    """The error of a problem."""
    return ProblemError(Problem(status, code, detail, retry_after))


def too_late(seconds: float) -> Problem:
    """The problem of a request that exceeded its deadline."""
    return Problem(504, "deadline", f"not done within {seconds:g} seconds")


BUG = Problem(500, "internal", "the server failed on this request; its log says more")
WORKER_DIED = Problem(500, "worker-died", "two processes in a row died on this request")
