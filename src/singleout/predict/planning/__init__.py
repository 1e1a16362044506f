"""The most detailed way to ask that keeps a policy."""
