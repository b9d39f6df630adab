-- Keys, login sessions, the audit log, stored responses and rate limits.

CREATE TABLE subscription (
  merchant text NOT NULL,
  id text NOT NULL,
  name text NOT NULL,
  scopes text[] NOT NULL,
  mode text NOT NULL CHECK (mode IN ('live', 'test')),
  created_at bigint NOT NULL,
  last_used_at bigint,
  revoked_at bigint,
  PRIMARY KEY (merchant, id)
);

-- Across all merchants: the merchant of each subscription, for a gateway that names only the subscription.
CREATE TABLE subscription_owner (
  subscription_id text PRIMARY KEY,
  merchant text NOT NULL
);

-- Keys are stored encrypted, because they sign webhooks.
CREATE TABLE api_key (
  merchant text NOT NULL,
  id text NOT NULL,
  subscription_id text NOT NULL,
  slot text NOT NULL CHECK (slot IN ('primary', 'secondary')),
  encrypted text NOT NULL,
  hint text NOT NULL,
  -- Wallet of the member who created the key; null if the command line created it.
  made_by text,
  created_at bigint NOT NULL,
  revoked_at bigint,
  PRIMARY KEY (merchant, id),
  FOREIGN KEY (merchant, subscription_id) REFERENCES subscription (merchant, id)
);

CREATE INDEX api_key_by_maker ON api_key (merchant, made_by) WHERE revoked_at IS NULL AND made_by IS NOT NULL;

-- Across all merchants: keys by their SHA-256.
CREATE TABLE api_key_hash (
  hash text PRIMARY KEY,
  merchant text NOT NULL,
  key_id text NOT NULL
);

-- Login sessions.
CREATE TABLE session (
  id text PRIMARY KEY,
  wallet text NOT NULL,
  -- Null for an operator.
  merchant text,
  created_at bigint NOT NULL,
  last_seen_at bigint NOT NULL,
  -- Time at which the session's newest token was issued.
  token_at bigint NOT NULL,
  revoked_at bigint,
  address text NOT NULL,
  user_agent text
);

CREATE INDEX session_by_wallet ON session (wallet, created_at);
CREATE INDEX session_by_merchant ON session (merchant, created_at);
CREATE INDEX session_by_age ON session (created_at);

-- A challenge can be used once: its row is deleted on use.
CREATE TABLE login_challenge (
  nonce text PRIMARY KEY,
  wallet text NOT NULL,
  host text NOT NULL,
  chain_id bigint NOT NULL,
  issued_at bigint NOT NULL,
  expires_at bigint NOT NULL
);

CREATE INDEX login_challenge_by_end ON login_challenge (expires_at);

-- Wallets that have logged in with a signature by their own key. From then on, their signatures are verified
-- without the chain.
CREATE TABLE own_signer (
  wallet text PRIMARY KEY,
  first_at bigint NOT NULL
);

-- Acts and their actors, in hash chains. An act that concerns no merchant belongs to `platform`.
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

-- Last entry of each chain. The row is locked while the next entry is written.
CREATE TABLE audit_head (
  merchant text PRIMARY KEY,
  sequence bigint NOT NULL,
  hash text NOT NULL,
  -- Last entry whose chain head was written to the log, outside this database.
  anchored bigint NOT NULL DEFAULT 0
);

CREATE INDEX audit_head_unanchored ON audit_head (merchant) WHERE anchored < sequence;

-- Requests of the last thirty days.
CREATE TABLE request_log (
  merchant text NOT NULL,
  -- Empty if the caller used a session.
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

-- Responses that are sent again when an Idempotency-Key is repeated.
CREATE TABLE idempotency (
  merchant text NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  key text NOT NULL,
  request_hash text NOT NULL,
  status smallint NOT NULL,
  -- Null if the response contained a secret, which is not stored.
  body text,
  created_at bigint NOT NULL,
  PRIMARY KEY (merchant, method, path, key)
);

CREATE INDEX idempotency_by_age ON idempotency (merchant, created_at);

-- Rate limits shared by several processes. A crash empties the table, after which all limits are full again.
CREATE UNLOGGED TABLE rate_bucket (
  key text PRIMARY KEY,
  tokens double precision NOT NULL,
  granted double precision NOT NULL,
  at bigint NOT NULL
);

CREATE INDEX rate_bucket_by_age ON rate_bucket (at);
