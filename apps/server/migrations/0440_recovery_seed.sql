-- Over all merchants, one row: what the references of attempts follow from, encrypted with the master key. It never
-- changes. `confirmed_at` is when the operator had written its words down.
CREATE TABLE recovery_seed (
  id bigint PRIMARY KEY CHECK (id = 1),
  sealed text NOT NULL,
  made_at bigint NOT NULL,
  confirmed_at bigint
);

-- Which number of the seed an attempt's reference is. Null in rows of earlier releases, whose references are random.
ALTER TABLE attempt ADD COLUMN number bigint;
