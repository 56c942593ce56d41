"""Operations: the commands that work on the data folder itself, for whoever runs the service."""
