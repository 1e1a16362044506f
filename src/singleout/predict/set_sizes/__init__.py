"""How large the sets will be that people share a cell with."""
