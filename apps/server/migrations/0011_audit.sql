-- What was done by whom, chained by hashes; `platform` is the merchant of what concerns none.
CREATE TABLE audit_entry (
  merchant text NOT NULL,
  sequence bigint NOT NULL,
  at bigint NOT NULL,
  actor text NOT NULL,
  action text NOT NULL,
  subject text NOT NULL,
  details text NOT NULL,
  correlation_id text,
  previous_hash text NOT NULL,
  hash text NOT NULL,
  PRIMARY KEY (merchant, sequence)
);

-- The last entry of each chain: locked while the next is written.
CREATE TABLE audit_head (
  merchant text PRIMARY KEY,
  sequence bigint NOT NULL,
  hash text NOT NULL
);

-- Requests of thirty days. A session's have no key: `key_id` is empty then.
CREATE TABLE request_log (
  merchant text NOT NULL,
  key_id text NOT NULL,
  id text NOT NULL,
  subscription_id text,
  wallet text,
  at bigint NOT NULL,
  method text NOT NULL,
  route text NOT NULL,
  status smallint NOT NULL,
  correlation_id text NOT NULL,
  address text NOT NULL,
  PRIMARY KEY (merchant, key_id, id)
);

CREATE TABLE merchant_settings (
  merchant text PRIMARY KEY,
  safe_from_cents bigint,
  final_from_cents bigint,
  tax_rates text,
  notification_address text,
  updated_at bigint NOT NULL
);
