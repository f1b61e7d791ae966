"""Variants that search for one path to one target on one core, and stop once it is found."""
