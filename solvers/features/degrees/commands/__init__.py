"""The command of the degrees."""
