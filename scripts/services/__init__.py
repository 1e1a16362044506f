"""Databases and a Spark cluster for tests and benchmarks, each in a folder of its own."""
