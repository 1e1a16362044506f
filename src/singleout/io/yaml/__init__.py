"""YAML files checked against a model."""
