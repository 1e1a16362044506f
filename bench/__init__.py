"""Benchmarks against peers: ratios taken in one run, counted only where the answers are compared.

``python -m bench --list`` names the cases; ``python -m bench`` runs them all.
"""
