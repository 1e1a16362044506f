"""Files and data frames in, results out."""
