-- Over all merchants: stretches of time of which this database knows nothing, as a copy of an earlier time, or because no
-- process ran. Attempts that were opened then are looked for by the numbers of their references: `next_place` is how far
-- the look has come, `look_at` when it goes on, `found_at` when money was last found.
CREATE TABLE lost_time (
  chain bigint NOT NULL,
  from_at bigint NOT NULL,
  to_at bigint NOT NULL,
  from_block bigint NOT NULL,
  noticed_at bigint NOT NULL,
  next_place bigint NOT NULL,
  look_at bigint NOT NULL,
  found_at bigint,
  PRIMARY KEY (chain, from_at)
);

-- A deposit address that is found again belongs to an attempt whose receipt this database does not have.
ALTER TABLE attempt DROP CONSTRAINT attempt_merchant_receipt_id_fkey;
