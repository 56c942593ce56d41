"""Reader of the JSON export of a Trello board, used by the service and by its commands."""
