"""QaR: the risk of a whole table, and what each record contributes to it. Béra et al. (2023)."""
