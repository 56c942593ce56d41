-- Create a tool server. Its environment values and token are already encrypted.
INSERT INTO mcp_servers (
    id, org_id, name, transport, command, args, env, url, auth_kind, auth_token, enabled, created_at
)
VALUES (
    :id, :org_id, :name, :transport, :command, :args, :env, :url, :auth_kind, :auth_token, :enabled, :now
)
