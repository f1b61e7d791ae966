"""Customizable contraction hierarchies: a graph is ordered once, customised for its
weights, and queried fast.
"""
