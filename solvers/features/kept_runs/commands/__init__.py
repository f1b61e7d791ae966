"""The commands of kept runs."""
