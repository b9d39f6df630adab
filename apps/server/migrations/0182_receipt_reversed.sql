-- The few receipts whose payment the chain took back, for the merchant who has to be asked about them.
CREATE INDEX receipt_reversed ON receipt (merchant, created_at, id) WHERE payment ->> 'state' = 'orphaned';
