"""The privacy gate: noise scaled to one person's influence, refusals, and a ledger of costs."""
