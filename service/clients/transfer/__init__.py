"""Export of an organization to a file of any size, and import from such a file in parts."""
