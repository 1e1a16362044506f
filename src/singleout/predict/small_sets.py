"""The share of people in small sets: see `singleout.predict.set_shares`."""

from __future__ import annotations

from singleout.predict.set_shares import share_below

__all__ = ["share_below"]
