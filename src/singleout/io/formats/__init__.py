"""Files and frames that type their columns."""
