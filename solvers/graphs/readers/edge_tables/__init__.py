"""Edge tables, CSV and Parquet: a row for each edge, with the ids of its ends and a weight in columns to choose."""
