"""Icons, sample graphs, data-set lists and experiments: files only."""
