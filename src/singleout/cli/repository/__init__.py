"""`singleout publish`, `query`, `decide` and `repository`: the Kullback-Leibler repository."""
