"""The bundled tool server: the operations of agents' routes as tools (contract, section 6)."""
