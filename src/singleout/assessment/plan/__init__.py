"""The plan of an assessment, as YAML and as a model."""
