"""The messages of errors in the code of the package, and whether each has a translation."""
