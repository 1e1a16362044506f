"""`singleout repository`: everything about a repository besides publishing and asking."""

from __future__ import annotations

import typer

from singleout.cli.repository import copies, inventory, keeping, people, person

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True)


@app.callback()
def repository() -> None:
    """Keep a Kullback-Leibler repository: how heterogeneous attributes are in populations."""


app.command("init")(keeping.init)
app.command("list")(copies.list_)
app.command("table")(copies.table)
app.command("person")(person.person)
app.command("verify")(keeping.verify)
app.command("mirror")(copies.mirror)
app.command("export")(copies.export)
app.command("import")(copies.import_)
app.command("keys")(keeping.keys)
app.command("holders")(people.holders)
app.command("moderate")(people.moderate)
app.command("dispute")(people.dispute)
app.command("withdraw")(people.withdraw)
app.add_typer(inventory.app, name="inventory")
app.command("demand")(inventory.demand)
app.command("serve")(keeping.serve)
