"""Three simulated agents work a board, for trying the service out."""
