-- Links by which somebody becomes a member, each for one wallet. What a link carries is known by its hash alone.
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

-- Over all merchants: which invitation a SHA-256 belongs to.
CREATE TABLE invitation_hash (
  hash text PRIMARY KEY,
  merchant text NOT NULL,
  invitation_id text NOT NULL
);

CREATE INDEX invitation_hash_by_invitation ON invitation_hash (merchant, invitation_id);
