-- Receipts are stored by one statement, and counted where they stand: the index by time holds all that is added up.
DROP FUNCTION store_receipts(text, jsonb);
DROP TABLE receipt_tally;
DROP TABLE receipt_tally_change;
DELETE FROM set_aside WHERE job = 'keep-tallies';

DROP INDEX receipt_by_time;

CREATE INDEX receipt_by_time ON receipt (merchant, currency, standing, created_at, id)
  INCLUDE (total_cents, native_total_cents, fee_cents, refunded_cents);
