"""Flows of shortest paths, summed by arc: over rows of distances, by levels where all arcs
weigh the same, and over a hierarchy, on the processor or a device; lengths are compared exactly.
"""
