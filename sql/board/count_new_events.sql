-- Count the events of an organization in a range, up to a limit, and list the resources that they concern.
SELECT count(*) AS count, json_group_array(DISTINCT noun) AS nouns
FROM (
    SELECT substr(type, 1, instr(type, '.') - 1) AS noun
    FROM events
    WHERE org_id = :org_id AND id > :since AND id <= :at
    LIMIT :limit
)
