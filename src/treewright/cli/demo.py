"""`treewright demo`: a short tour on sentences that the project samples itself."""

from typing import Annotated

import typer


def command(
    sentences: Annotated[int, typer.Option(help="How many to train on, and to test on.")] = 300,
    seed: Annotated[int, typer.Option(help="Of the sampled sentences.")] = 1,
) -> None:
    """Train a toy parser for likelihood and for F1, and compare them on held-out sentences."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from treewright.inference import oracle
    from treewright.report.demo import OBJECTIVES, Demo
    from treewright.report.tables import demo_table

    console = Console()
    demo = Demo(sentences, seed)
    sentence, example, analyses = demo.most_ambiguous()
    best, worst = oracle.best_f1(example.forest), oracle.worst_f1(example.forest)
    console.print(f"{sentences} sampled sentences to train on, {sentences} to test on.")
    console.print(f"Most ambiguous: [italic]{' '.join(sentence.words)}[/]", highlight=False)
    console.print(
        f"{analyses:,} analyses in {example.forest.edges} edges; "
        f"F1 from {100 * worst.f:.1f} to {100 * best.f:.1f}\n  {sentence}\n",
        highlight=False,
        soft_wrap=True,
    )
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    results = []
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("training", total=len(OBJECTIVES))
        for trained in demo.run(
            lambda title, step: progress.update(
                task, description=f"{title}: iteration {step.iteration}, {step.value:.1f}"
            )
        ):
            results.append(trained)
            progress.advance(task)
        progress.update(task, description="trained")
    console.print(demo_table(results))
