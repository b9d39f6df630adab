-- Merchants, their settings, and the people who act for them.

CREATE TABLE merchant (
  merchant text PRIMARY KEY,
  name text NOT NULL,
  -- The brand that the merchant sells under. `service` is the deployment's own.
  brand_key text NOT NULL DEFAULT 'service',
  created_at bigint NOT NULL
);

CREATE TABLE merchant_settings (
  merchant text PRIMARY KEY,
  safe_from_cents bigint,
  final_from_cents bigint,
  tax_rates jsonb NOT NULL,
  -- Origins whose pages may show the merchant's checkout in a frame.
  embed_origins text[] NOT NULL,
  updated_at bigint NOT NULL
);

-- People who may act for a merchant.
CREATE TABLE member (
  merchant text NOT NULL,
  wallet text NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'developer', 'cashier', 'viewer')),
  created_at bigint NOT NULL,
  PRIMARY KEY (merchant, wallet)
);

-- Over all merchants: where a wallet is a member.
CREATE TABLE member_wallet (
  wallet text NOT NULL,
  merchant text NOT NULL,
  since bigint NOT NULL,
  PRIMARY KEY (wallet, merchant)
);

CREATE INDEX member_wallet_merchant ON member_wallet (merchant);

-- Links by which a wallet becomes a member, once.
CREATE TABLE invitation (
  merchant text NOT NULL,
  id text NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'developer', 'cashier', 'viewer')),
  made_by text NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  used_by text,
  used_at bigint,
  withdrawn_at bigint,
  PRIMARY KEY (merchant, id)
);

-- Over all merchants: the invitation that the SHA-256 of a link belongs to.
CREATE TABLE invitation_hash (
  hash text PRIMARY KEY,
  merchant text NOT NULL,
  invitation_id text NOT NULL
);

CREATE INDEX invitation_hash_by_invitation ON invitation_hash (merchant, invitation_id);
