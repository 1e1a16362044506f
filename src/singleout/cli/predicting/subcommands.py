"""The commands below `singleout predict`, each named as its function in Python."""

from __future__ import annotations

from singleout.cli.predicting import entropy, people_for, predict

__all__ = ["app"]

app = predict.app
app.command("people-for")(people_for.people_for)
app.command("attacker-entropy")(entropy.attacker_entropy)
