"""The command that checks a changed kernel."""
