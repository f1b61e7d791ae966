"""Published graphs that can be downloaded: the catalogue, and what of it is on this machine."""
