"""The variants over MPI, found by import."""
