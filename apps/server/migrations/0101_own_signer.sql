-- Over all merchants: wallets that have logged in by a key of their own. Their signatures are judged here for good.
CREATE TABLE own_signer (
  wallet text PRIMARY KEY,
  first_at bigint NOT NULL
);
