"""What stands in the JSON export of a Trello board: read and counted, by the service and by its commands alike."""
