"""The privacy gate: noise scaled to one person's influence, and a ledger of what was spent."""
