"""The demo table and its dictionary, shipped with the package."""
