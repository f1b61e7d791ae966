"""BMSSP: bounded multi-source shortest paths, which settles vertices without sorting
them all by distance.
"""
