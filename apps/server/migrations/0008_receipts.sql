-- Receipts with their history, orders and refunds. Only receipts/change-status writes a status.

CREATE TABLE receipt (
  merchant text NOT NULL,
  id text NOT NULL,
  status text NOT NULL,
  -- Status used in lists and totals: `cancelled` for a cancelled receipt that is not paid.
  standing text NOT NULL GENERATED ALWAYS AS (
    CASE WHEN cancelled_at IS NOT NULL AND status IN ('generated', 'pending', 'failed', 'rejected', 'abandoned')
      THEN 'cancelled' ELSE status END) STORED,
  origin text NOT NULL,
  format text NOT NULL CHECK (format IN ('legacy', 'native')),
  currency text NOT NULL,
  total_cents bigint NOT NULL,
  fee_cents bigint NOT NULL,
  fee_hundredths bigint NOT NULL,
  native_total_cents bigint,
  lines jsonb NOT NULL,
  pricing jsonb,
  tax jsonb,
  brand_key text NOT NULL,
  brand_name text NOT NULL,
  redirect_url text,
  return_url text,
  webhook_url text,
  on_success text,
  provider_email text,
  billing jsonb,
  metadata jsonb,
  transaction_id text,
  content_hash text NOT NULL,
  key_id text,
  encrypted_key text,
  split_version bigint,
  expires_at bigint,
  -- Time at which the merchant cancelled the receipt. The status does not change, and its addresses are still
  -- watched.
  cancelled_at bigint,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  failure jsonb,
  transaction_hash text,
  transaction_at bigint,
  token text,
  paid_units numeric(78, 0),
  buyer_wallet text,
  payment jsonb,
  -- Attempt that the buyer requested last. Only the failure of this attempt can fail the receipt.
  current_attempt text,
  -- Provider session that decided the status, or else the session opened last.
  provider_session jsonb,
  -- Part of the price that is known to be returned, in US cents.
  refunded_cents bigint NOT NULL DEFAULT 0,
  history_count bigint NOT NULL,
  PRIMARY KEY (merchant, id)
);

CREATE INDEX receipt_newest ON receipt (merchant, created_at DESC, id DESC);

-- One index range for each currency and status, by time and by amount. A filtered list merges the ranges that
-- it asks for.
CREATE INDEX receipt_by_time ON receipt (merchant, currency, standing, created_at, id)
  INCLUDE (total_cents, native_total_cents, fee_cents, refunded_cents);
CREATE INDEX receipt_by_amount ON receipt (merchant, currency, standing, total_cents, id)
  INCLUDE (created_at, native_total_cents);
CREATE INDEX receipt_by_native_amount ON receipt (merchant, currency, standing, native_total_cents, id)
  INCLUDE (created_at, total_cents) WHERE currency <> 'USD';

-- For searches by the beginning of an id, independent of the database's collation.
CREATE INDEX receipt_by_id ON receipt (merchant, id COLLATE "C");

-- The few receipts that need attention: payments that a reorg removed, cancelled receipts that are partly
-- paid, card and bank payments whose money is missing, and amounts that do not match.
CREATE INDEX receipt_reversed ON receipt (merchant, created_at, id) WHERE payment ->> 'state' = 'orphaned';
CREATE INDEX receipt_part_paid ON receipt (merchant) WHERE payment ->> 'state' = 'short' AND standing = 'cancelled';
CREATE INDEX receipt_undelivered ON receipt (merchant)
  WHERE provider_session ->> 'delivery' IN ('overdue', 'reversed') AND paid_units IS NULL AND status <> 'failed';
CREATE INDEX receipt_uneven ON receipt (merchant) WHERE payment ->> 'state' IN ('seen', 'short', 'over', 'orphaned');

-- Unpaid receipts by deadline, and receipts whose buyer ended the payment.
CREATE INDEX receipt_deadline ON receipt (merchant, expires_at)
  WHERE expires_at IS NOT NULL AND standing IN ('generated', 'pending');
CREATE INDEX receipt_stopped ON receipt (merchant) WHERE standing = 'failed' AND failure ->> 'failureCode' IN
  ('PORTAL_PAY_CANCELLED', 'PORTAL_PAY_CHECKOUT_CLOSED', 'PORTAL_PAY_SESSION_EXPIRED', 'PORTAL_PAY_SIGNATURE_REJECTED');

-- Everything that happened to a receipt, in order. Rows of kind `status` contain the statuses before and
-- after.
CREATE TABLE receipt_history (
  merchant text NOT NULL,
  receipt_id text NOT NULL,
  seq bigint NOT NULL,
  kind text NOT NULL,
  from_status text,
  to_status text,
  detail jsonb NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (merchant, receipt_id, seq),
  FOREIGN KEY (merchant, receipt_id) REFERENCES receipt (merchant, id)
);

-- Across all merchants: the merchant of each receipt id that the service generated (`R-…`), so that /pay/<id>
-- needs no merchant.
CREATE TABLE made_receipt_id (
  id text PRIMARY KEY,
  merchant text NOT NULL
);

-- Terms other than the id by which a receipt is found: e-mail, the caller's reference and metadata values.
CREATE TABLE receipt_term (
  merchant text NOT NULL,
  -- Hash of the term's kind and text (receipts/search-terms.ts).
  term text NOT NULL,
  created_at bigint NOT NULL,
  receipt_id text NOT NULL,
  PRIMARY KEY (merchant, term, created_at, receipt_id)
);

-- Counts of events that checkout pages reported. They prove nothing and change no status.
CREATE TABLE receipt_telemetry (
  merchant text NOT NULL,
  receipt_id text NOT NULL,
  value text NOT NULL,
  count bigint NOT NULL,
  first_at bigint NOT NULL,
  last_at bigint NOT NULL,
  PRIMARY KEY (merchant, receipt_id, value),
  FOREIGN KEY (merchant, receipt_id) REFERENCES receipt (merchant, id)
);

-- Across all merchants: receipts whose order, stock or points must be checked after a status change, or at
-- `due_at`.
CREATE TABLE receipt_due (
  merchant text NOT NULL,
  receipt_id text NOT NULL,
  due_at bigint NOT NULL,
  PRIMARY KEY (merchant, receipt_id)
);

CREATE INDEX receipt_due_next ON receipt_due (due_at);

-- An order has the id of its receipt.
CREATE TABLE customer_order (
  merchant text NOT NULL,
  id text NOT NULL,
  -- Items as they were when the order was placed.
  items jsonb NOT NULL,
  subtotal_cents bigint NOT NULL,
  taxable_cents bigint NOT NULL,
  tax_cents bigint NOT NULL,
  total_cents bigint NOT NULL,
  tax jsonb NOT NULL,
  -- Null if the order contains no counted product.
  stock text CHECK (stock IN ('reserved', 'committed', 'released')),
  -- Quantities that could not be committed, because the order was paid after its reservation had ended.
  missing jsonb,
  created_at bigint NOT NULL,
  settled_at bigint,
  PRIMARY KEY (merchant, id),
  FOREIGN KEY (merchant, id) REFERENCES receipt (merchant, id)
);

CREATE INDEX customer_order_newest ON customer_order (merchant, created_at DESC, id DESC);

-- Returned money, as logged by the merchant: from a receipt's price, an overpayment or an unmatched payment.
CREATE TABLE refund (
  merchant text NOT NULL,
  id text NOT NULL,
  receipt_id text,
  unmatched_id text,
  kind text NOT NULL CHECK (kind IN ('price', 'excess', 'unmatched')),
  buyer text,
  usd_cents bigint,
  items jsonb,
  token_address text,
  units numeric(78, 0),
  tx_hash text,
  -- Result of checking `tx_hash` on the chain.
  mark text CHECK (mark IN ('tx_mined', 'recipient_validated', 'tx_mismatch')),
  error text,
  made_by text NOT NULL,
  made_at bigint NOT NULL,
  marked_at bigint,
  PRIMARY KEY (merchant, id),
  FOREIGN KEY (merchant, receipt_id) REFERENCES receipt (merchant, id)
);

CREATE INDEX refund_receipt ON refund (merchant, receipt_id, made_at);

-- One transaction is one refund. A mismatched transaction is not a refund, and may be logged again.
CREATE UNIQUE INDEX refund_transaction ON refund (merchant, tx_hash) WHERE mark IS DISTINCT FROM 'tx_mismatch';

-- The few refunds whose transaction is missing from the chain.
CREATE INDEX refund_missing ON refund (merchant) WHERE mark IS NULL AND error IS NOT NULL;

-- Across all merchants: refunds whose transaction must be checked.
CREATE TABLE refund_due (
  merchant text NOT NULL,
  refund_id text NOT NULL,
  due_at bigint NOT NULL,
  PRIMARY KEY (merchant, refund_id)
);

CREATE INDEX refund_due_next ON refund_due (due_at);
