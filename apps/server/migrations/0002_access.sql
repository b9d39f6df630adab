CREATE TABLE merchant (
  merchant text PRIMARY KEY,
  name text NOT NULL,
  created_at bigint NOT NULL
);

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

-- A key is kept sealed, since webhooks are signed with it; `slot` is primary or secondary.
CREATE TABLE api_key (
  merchant text NOT NULL,
  id text NOT NULL,
  subscription_id text NOT NULL,
  slot text NOT NULL CHECK (slot IN ('primary', 'secondary')),
  sealed text NOT NULL,
  hint text NOT NULL,
  created_at bigint NOT NULL,
  revoked_at bigint,
  PRIMARY KEY (merchant, id)
);

ALTER TABLE api_key ADD FOREIGN KEY (merchant, subscription_id) REFERENCES subscription (merchant, id);

-- Over all merchants: which key a SHA-256 belongs to.
CREATE TABLE api_key_hash (
  hash text PRIMARY KEY,
  merchant text NOT NULL,
  key_id text NOT NULL
);
