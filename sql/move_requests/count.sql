-- Count the move requests that match the filters of list.
SELECT
    (
        SELECT count(*)
        FROM move_requests
        WHERE :card_id IS NULL AND :state IS NULL AND org_id = :org_id
    )
    + (
        SELECT count(*)
        FROM move_requests
        WHERE :card_id IS NULL AND org_id = :org_id AND state = :state
    )
    + (
        SELECT count(*)
        FROM move_requests
        WHERE card_id = :card_id AND org_id = :org_id AND (:state IS NULL OR state = :state)
    )
