"""A repository over HTTP."""
