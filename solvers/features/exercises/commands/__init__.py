"""The command of the course."""
