"""SUDA: records that a few of their values single out. Elliot et al. (2005)."""
