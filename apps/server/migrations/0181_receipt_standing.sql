-- What a receipt is listed and counted as: its status, but for one that was cancelled and is not paid, which nobody awaits.
ALTER TABLE receipt ADD COLUMN standing text NOT NULL GENERATED ALWAYS AS (
  CASE WHEN cancelled_at IS NOT NULL AND status IN ('generated', 'pending', 'failed', 'rejected', 'abandoned')
    THEN 'cancelled' ELSE status END) STORED;

DROP INDEX receipt_by_time;

CREATE INDEX receipt_by_time ON receipt (merchant, currency, standing, created_at, id)
  INCLUDE (total_cents, native_total_cents);

DROP INDEX receipt_by_amount;

CREATE INDEX receipt_by_amount ON receipt (merchant, currency, standing, total_cents, id)
  INCLUDE (created_at, native_total_cents);

DROP INDEX receipt_by_native_amount;

CREATE INDEX receipt_by_native_amount ON receipt (merchant, currency, standing, native_total_cents, id)
  INCLUDE (created_at, total_cents) WHERE currency <> 'USD';

-- `status` of the tallies is the standing from now on: what was cancelled goes from the one to the other.
INSERT INTO receipt_tally_change (merchant, quarter, currency, status, receipts, total_cents, native_cents, fee_cents,
    refunded_cents)
  SELECT merchant, created_at - created_at % 900000, currency, counted.status, sign, sign * total_cents,
    sign * coalesce(native_total_cents, total_cents),
    sign * coalesce(round(fee_cents::numeric * coalesce(native_total_cents, total_cents) / nullif(total_cents, 0)), 0)::bigint,
    sign * coalesce(round(refunded_cents::numeric * coalesce(native_total_cents, total_cents) / nullif(total_cents, 0)), 0)::bigint
  FROM receipt, LATERAL (VALUES (receipt.status, -1), (receipt.standing, 1)) AS counted (status, sign)
  WHERE receipt.standing <> receipt.status;
