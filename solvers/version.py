"""The version of Tautline, in one place."""

__version__ = "1.0.0"
