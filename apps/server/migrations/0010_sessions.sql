-- Who may act for a merchant. `member_wallet` is the directory over all merchants: where a wallet is a member.
CREATE TABLE member (
  merchant text NOT NULL,
  wallet text NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'developer', 'cashier', 'viewer')),
  created_at bigint NOT NULL,
  PRIMARY KEY (merchant, wallet)
);

CREATE TABLE member_wallet (
  wallet text NOT NULL,
  merchant text NOT NULL,
  since bigint NOT NULL,
  PRIMARY KEY (wallet, merchant)
);

INSERT INTO member (merchant, wallet, role, created_at) SELECT merchant, merchant, 'owner', created_at FROM merchant;

INSERT INTO member_wallet (wallet, merchant, since) SELECT merchant, merchant, created_at FROM merchant;

-- Each may be used once; a row is gone as soon as it was.
CREATE TABLE login_challenge (
  nonce text PRIMARY KEY,
  wallet text NOT NULL,
  host text NOT NULL,
  chain_id bigint NOT NULL,
  issued_at bigint NOT NULL,
  expires_at bigint NOT NULL
);

CREATE INDEX login_challenge_by_end ON login_challenge (expires_at);

-- A login. An operator's belongs to no merchant. `token_at` is when its newest token was made.
CREATE TABLE session (
  id text PRIMARY KEY,
  wallet text NOT NULL,
  merchant text,
  created_at bigint NOT NULL,
  last_seen_at bigint NOT NULL,
  token_at bigint NOT NULL,
  revoked_at bigint,
  address text NOT NULL,
  user_agent text
);

CREATE INDEX session_by_wallet ON session (wallet, created_at);

CREATE INDEX session_by_merchant ON session (merchant, created_at);

CREATE INDEX session_by_age ON session (created_at);

-- Over all merchants: whose a subscription is, for a gateway that names it.
CREATE TABLE subscription_owner (
  subscription_id text PRIMARY KEY,
  merchant text NOT NULL
);

INSERT INTO subscription_owner (subscription_id, merchant) SELECT id, merchant FROM subscription;
