-- Receipts that are shown as something other than their status (display-status.ts): the few whose money does not match,
-- unpaid ones by their deadline, and those whose buyers ended the payment.
CREATE INDEX receipt_uneven ON receipt (merchant) WHERE payment ->> 'state' IN ('seen', 'short', 'over', 'orphaned');
CREATE INDEX receipt_deadline ON receipt (merchant, expires_at)
  WHERE expires_at IS NOT NULL AND standing IN ('generated', 'pending');
CREATE INDEX receipt_stopped ON receipt (merchant) WHERE standing = 'failed' AND failure ->> 'failureCode' IN
  ('PORTAL_PAY_CANCELLED', 'PORTAL_PAY_CHECKOUT_CLOSED', 'PORTAL_PAY_SESSION_EXPIRED', 'PORTAL_PAY_SIGNATURE_REJECTED');
