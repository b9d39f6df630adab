-- A distribution of a token that would leave nothing keeps one base unit of the last recipient's part. Splits of
-- earlier releases keep none.
ALTER TABLE split_release ADD COLUMN is_unit_kept boolean NOT NULL DEFAULT false;

-- Whose unit is kept; null where none is.
ALTER TABLE split_ledger ADD COLUMN unit_kept_for text;
