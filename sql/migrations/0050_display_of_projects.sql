-- Boards say what their tiles show besides fields (files, progress), and which columns their lists have.
BEGIN;

ALTER TABLE projects ADD COLUMN display TEXT NOT NULL -- JSON object
DEFAULT '{"attachments":true,"progress":true,"listColumns":["title","key","column","assignee","agent","priority","due","labels"]}';

PRAGMA user_version = 50;
COMMIT;
