-- Change the status of an agent. Only an approved agent is online; a stopped one has a time and a reason.
UPDATE agents
SET
    status = :status,
    is_online = CASE WHEN :status = 'approved' THEN is_online ELSE 0 END,
    stopped_at = CASE WHEN :status = 'stopped' THEN coalesce(stopped_at, :now) END,
    stop_reason = CASE WHEN :status = 'stopped' THEN coalesce(stop_reason, :reason) END,
    resumed_at = CASE WHEN :status = 'approved' AND status = 'stopped' THEN :now ELSE resumed_at END
WHERE org_id = :org_id AND id = :agent_id
