"""Streaming encoders of pictures and films; none holds the whole file in memory. No widgets."""
