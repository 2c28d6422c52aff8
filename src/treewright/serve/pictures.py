"""`/v1/draw`: pictures of analyses that a client sends, with folds, marks and shades."""

from typing import Any, Literal

from fastapi import FastAPI, Response
from pydantic import ConfigDict, Field

from treewright.draw.objects import Sight, picture_of
from treewright.errors import TreewrightError
from treewright.serve.problems import refused
from treewright.serve.routes import PROBLEMS
from treewright.serve.service import Service
from treewright.serve.wire import Name, Wire

SVG = "image/svg+xml"
ANSWER: dict[int | str, dict[str, Any]] = {200: {"content": {SVG: {}}, "description": "SVG."}}
Mark = Literal["wrong", "missed", "differs"]
EXAMPLE: dict[str, Any] = {
    "analysis": {
        "kind": "dep",
        "words": ["It", "slept"],
        "heads": [2, 0],
        "labels": ["nsubj", "root"],
    }
}


class DrawRequest(Wire):
    """An analysis from `/v1/parse`, and how to draw it."""

    analysis: dict[str, Any]
    view: Name | None = Field(default=None, description="derivation, tree, arcs, tags or chart.")
    other: dict[str, Any] | None = Field(
        default=None, description="An analysis of the same words; differences are marked."
    )
    marks: tuple[Mark, Mark] = Field(
        default=("wrong", "missed"),
        description="Marks for items that only one of the two analyses has.",
    )
    shaded: bool = Field(default=False, description="Shade by probability, if there are marginals.")
    folded: list[int] = Field(default=[], max_length=1000, description="Numbers of nodes to fold.")
    width: float | None = Field(
        default=None, ge=100, le=20_000, description="Width of the page in pixels."
    )
    styled: bool = Field(default=False, description="Include a style sheet, for use as a file.")

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    def svg(self) -> str:
        """The picture."""
        folded = frozenset(self.folded)
        view = self.view or ""
        sight = Sight(view, self.other, self.marks, self.shaded, folded, self.width)
        return picture_of(self.analysis, sight).svg(self.styled)


def add_pictures(app: FastAPI, service: Service) -> None:
    """Adds `/v1/draw`."""
    limit = service.settings.limits.words

    @app.post("/v1/draw", response_class=Response, responses=ANSWER | PROBLEMS, tags=["drawing"])
    def draw(request: DrawRequest) -> Response:
        """Draws an analysis as SVG."""
        for each in filter(None, (request.analysis, request.other)):
            words = each.get("words")
            if isinstance(words, list) and len(words) > limit:
                raise refused(422, "words", f"cannot draw more than {limit} words")
        try:
            return Response(request.svg(), media_type=SVG)
        except TreewrightError as error:
            raise refused(422, "unfit", str(error)) from error
