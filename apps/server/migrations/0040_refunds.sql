-- Money given back, as the merchant's people logged it: for a receipt, or for a payment that no receipt explains.
-- `kind`: of the receipt's price, of what was paid beyond it, or of money in the inbox. `mark` is what the chain
-- says of `tx_hash`.
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
  mark text CHECK (mark IN ('tx_mined', 'recipient_validated', 'tx_mismatch')),
  fault text,
  made_by text NOT NULL,
  made_at bigint NOT NULL,
  marked_at bigint,
  PRIMARY KEY (merchant, id)
);

CREATE INDEX refund_receipt ON refund (merchant, receipt_id, made_at);

-- One transaction is one refund; a mismatch was none, and may be logged again as it really was.
CREATE UNIQUE INDEX refund_transaction ON refund (merchant, tx_hash) WHERE mark IS DISTINCT FROM 'tx_mismatch';

ALTER TABLE refund ADD FOREIGN KEY (merchant, receipt_id) REFERENCES receipt (merchant, id);

-- Over all merchants: refunds whose transaction is to be looked at, and when.
CREATE TABLE refund_due (
  merchant text NOT NULL,
  refund_id text NOT NULL,
  due_at bigint NOT NULL,
  PRIMARY KEY (merchant, refund_id)
);

CREATE INDEX refund_due_next ON refund_due (due_at);
