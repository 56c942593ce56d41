"""Moving an organization: export to a file of any size, and import from it in parts."""
