"""How far columns and their combinations tell records apart. Motwani and Xu (2007)."""
