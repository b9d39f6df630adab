-- The few receipts that a provider confirmed and whose money did not arrive, or that it reversed.
CREATE INDEX receipt_undelivered ON receipt (merchant)
  WHERE provider_session ->> 'delivery' IN ('overdue', 'reversed') AND paid_units IS NULL AND status <> 'failed';
