"""Pictures and films as files, written piece by piece: none of them needs the whole in memory. No widgets."""
