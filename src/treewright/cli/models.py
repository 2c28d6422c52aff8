"""`treewright models`: the installed models."""

import typer

from treewright.cli.options import Json


def command(
    as_json: Json = False,
) -> None:
    """List the installed models with their scores, sizes and licences."""
    import json

    from treewright.models.installed import advice, packages
    from treewright.report.tables import models_table, models_values, print_tables

    installed = packages()
    if as_json:
        typer.echo(json.dumps(models_values(installed), ensure_ascii=False, indent=2))
    elif not installed:
        typer.echo(f"No models are installed. {advice()}")
    else:
        print_tables([models_table(installed)])
