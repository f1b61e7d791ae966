"""Runs on several machines, by Dask: connections to clusters, their hosts, and all sources of a graph over them."""
