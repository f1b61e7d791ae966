"""Answers as files for other programs: paths as GeoJSON, GPX and CSV; distances as CSV,
Parquet and GeoJSON.
"""
