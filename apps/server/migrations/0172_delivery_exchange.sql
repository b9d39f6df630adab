-- What was sent and answered in one attempt, for the merchant to see: headers, and the beginning of the answer.
ALTER TABLE delivery_attempt ADD COLUMN exchange jsonb;
