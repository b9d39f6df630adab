-- Jobs ask the tables themselves for work that is due, and a cluster routes each statement by the merchant in it.
DROP TABLE work_due;
DROP FUNCTION IF EXISTS store_receipts(text, jsonb);
DROP FUNCTION place_of(text);
