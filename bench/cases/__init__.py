"""The cases, one module for each question; a new module here is found by itself."""
