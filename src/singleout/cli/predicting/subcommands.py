"""The commands below `singleout predict`, each named as its function in Python."""

from __future__ import annotations

from singleout.cli.predicting import correlated, entropy, granularity, people_for, predict

__all__ = ["app"]

app = predict.app
app.command("granularity")(granularity.granularity)
app.command("width-for")(granularity.width_for)
app.command("correlated")(correlated.correlated)
app.command("for-person")(correlated.for_person)
app.command("people-for")(people_for.people_for)
app.command("attacker-entropy")(entropy.attacker_entropy)
