"""Who is calling and what they may do: credentials, request context, policies, authorization."""
