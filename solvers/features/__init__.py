"""Features of the library and the command line: one package each, found by import."""
