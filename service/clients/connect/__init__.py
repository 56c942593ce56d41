"""The command connect: registers an agent, and configures its client for the service."""
