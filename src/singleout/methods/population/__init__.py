"""Population uniqueness: how many people are alone in the population, from a sample of it."""
