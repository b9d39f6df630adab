-- Receipts that are shown as something other than their status (display-status.ts): the few whose money does not match,
-- and unpaid ones by their deadline.
CREATE INDEX receipt_uneven ON receipt (merchant) WHERE payment ->> 'state' IN ('seen', 'short', 'over', 'orphaned');
CREATE INDEX receipt_deadline ON receipt (merchant, expires_at)
  WHERE expires_at IS NOT NULL AND standing IN ('generated', 'pending');
