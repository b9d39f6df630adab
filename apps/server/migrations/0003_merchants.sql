-- Merchants, their settings and their members.

CREATE TABLE merchant (
  merchant text PRIMARY KEY,
  name text NOT NULL,
  -- Brand under which the merchant sells. `service` is the deployment's own brand.
  brand_key text NOT NULL DEFAULT 'service',
  created_at bigint NOT NULL
);

CREATE TABLE merchant_settings (
  merchant text PRIMARY KEY,
  safe_from_cents bigint,
  final_from_cents bigint,
  tax_rates jsonb NOT NULL,
  -- Origins that may embed the merchant's checkout in a frame.
  embed_origins text[] NOT NULL,
  updated_at bigint NOT NULL
);

-- Wallets that may act for a merchant.
CREATE TABLE member (
  merchant text NOT NULL,
  wallet text NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'developer', 'cashier', 'viewer')),
  created_at bigint NOT NULL,
  PRIMARY KEY (merchant, wallet)
);

-- Across all merchants: the merchants that a wallet is a member of.
CREATE TABLE member_wallet (
  wallet text NOT NULL,
  merchant text NOT NULL,
  since bigint NOT NULL,
  PRIMARY KEY (wallet, merchant)
);

CREATE INDEX member_wallet_merchant ON member_wallet (merchant);

-- Links that each make one wallet a member.
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

-- Across all merchants: invitations by the SHA-256 of their link.
CREATE TABLE invitation_hash (
  hash text PRIMARY KEY,
  merchant text NOT NULL,
  invitation_id text NOT NULL
);

CREATE INDEX invitation_hash_by_invitation ON invitation_hash (merchant, invitation_id);
