"""Take a Trello board over into a project."""
