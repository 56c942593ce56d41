-- Count the active cards whose title contains a text. This reads all cards; use it for texts that many titles contain.
SELECT count(*)
FROM cards
WHERE org_id = :org_id AND archived_at IS NULL AND instr(fold(title), :title_part) > 0
