"""Experiments: comparisons over graphs, variants and parameters, declared as data, run,
judged and reported.
"""
