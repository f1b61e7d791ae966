"""The program's own choice of variant, by one table, and why."""
