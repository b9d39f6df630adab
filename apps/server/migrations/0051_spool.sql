-- Which records of the processes' journals have been applied: a journal is applied again from its beginning
-- after a crash, and each record has its effect once.
CREATE TABLE spool_applied (
  id text PRIMARY KEY,
  applied_at bigint NOT NULL
);
