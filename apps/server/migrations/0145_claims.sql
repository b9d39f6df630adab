-- What buyers say of money in the inbox: one proven by the payer's wallet, and a few on somebody's word. `origin` tells
-- which of those came from one address, without saying which.
CREATE TABLE payment_claim (
  merchant text NOT NULL,
  unmatched_id text NOT NULL,
  id text NOT NULL,
  wallet text,
  origin text,
  refund_address text NOT NULL,
  contact text,
  note text,
  made_at bigint NOT NULL,
  PRIMARY KEY (merchant, unmatched_id, id)
);

CREATE UNIQUE INDEX payment_claim_proven ON payment_claim (merchant, unmatched_id) WHERE wallet IS NOT NULL;

-- Over all merchants: whose payment a case is about, for the buyer who follows it.
CREATE TABLE claim_case (
  id text PRIMARY KEY,
  merchant text NOT NULL,
  unmatched_id text NOT NULL
);

-- Each may be used once; a row is gone as soon as it was.
CREATE TABLE claim_challenge (
  nonce text PRIMARY KEY,
  wallet text NOT NULL,
  tx_hash text NOT NULL,
  log_index bigint NOT NULL,
  refund_address text NOT NULL,
  host text NOT NULL,
  chain_id bigint NOT NULL,
  issued_at bigint NOT NULL,
  expires_at bigint NOT NULL
);

CREATE INDEX claim_challenge_by_end ON claim_challenge (expires_at);

-- A buyer knows the transaction and not the merchant.
CREATE INDEX unmatched_payment_hash ON unmatched_payment (chain, tx_hash);
