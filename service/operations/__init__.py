"""Commands for administrators that work directly on the data folder."""
