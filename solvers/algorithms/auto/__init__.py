"""The automatic choice of a variant, by one table, with its reason."""
