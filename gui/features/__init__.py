"""Features of the window: one package each, found by import."""
