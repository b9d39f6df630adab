-- When a facilitator was first given a signed payment: what it says of it later is no last word.
ALTER TABLE relayed_payment ADD COLUMN asked_at bigint;
