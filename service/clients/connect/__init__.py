"""The command connect: an agent's client gets to know the service, and the service the agent."""
