CREATE TABLE receipt (
  merchant text NOT NULL,
  id text NOT NULL,
  status text NOT NULL,
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
  sealed_key text,
  split_version bigint,
  expires_at bigint,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  failure jsonb,
  transaction_hash text,
  transaction_at bigint,
  token text,
  paid_units numeric(78, 0),
  buyer_wallet text,
  payment jsonb,
  history_count bigint NOT NULL,
  PRIMARY KEY (merchant, id)
);

CREATE INDEX receipt_newest ON receipt (merchant, created_at DESC, id DESC);

-- Everything that happened to a receipt, in order; `kind` status carries the edge that was taken.
CREATE TABLE receipt_history (
  merchant text NOT NULL,
  receipt_id text NOT NULL,
  seq bigint NOT NULL,
  kind text NOT NULL,
  from_status text,
  to_status text,
  detail jsonb NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (merchant, receipt_id, seq)
);

ALTER TABLE receipt_history ADD FOREIGN KEY (merchant, receipt_id) REFERENCES receipt (merchant, id);

-- Over all merchants: who owns a receipt id that Sluice made itself (`R-…`), so that /pay/<id> resolves alone.
CREATE TABLE made_receipt_id (
  id text PRIMARY KEY,
  merchant text NOT NULL
);
