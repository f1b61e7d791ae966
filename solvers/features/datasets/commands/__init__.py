"""The command of datasets."""
