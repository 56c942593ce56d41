"""The MCP server: tools that call the agent routes."""
