-- Set on payments that the chain took back and that an admin no longer waits for: the receipt is paid by his word.
ALTER TABLE payment ADD COLUMN accepted_at bigint;
