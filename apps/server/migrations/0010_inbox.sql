-- Money that matches no receipt, and buyers' claims to it.

-- Money that matches no receipt. It stays in the merchant's inbox until a person decides.
CREATE TABLE unmatched_payment (
  merchant text NOT NULL,
  id text NOT NULL,
  chain bigint NOT NULL,
  tx_hash text NOT NULL,
  log_index bigint NOT NULL,
  address text NOT NULL,
  kind text CHECK (kind IN ('call', 'transfer', 'native')),
  -- As in `payment`.
  source text,
  receipt_id text,
  token_address text NOT NULL,
  -- Name that the contract of an unknown token returned. Any contract can return any name.
  token_name text,
  token_decimals bigint,
  amount numeric(78, 0) NOT NULL,
  payer text,
  reason text NOT NULL,
  state text NOT NULL CHECK (state IN ('open', 'applied', 'refunded', 'kept', 'orphaned')),
  -- State before the chain lost the block (`orphaned`). It is restored when the money is back.
  lost_state text,
  block_number bigint NOT NULL,
  block_hash text NOT NULL,
  block_at bigint NOT NULL,
  seen_at bigint NOT NULL,
  swept_tx text,
  -- A person's decision.
  applied_to text,
  refund_id text,
  note text,
  decided_by text,
  decided_at bigint,
  PRIMARY KEY (merchant, id)
);

CREATE UNIQUE INDEX unmatched_payment_key ON unmatched_payment (merchant, chain, tx_hash, log_index, address);
CREATE INDEX unmatched_payment_unswept ON unmatched_payment (chain, block_number)
  WHERE swept_tx IS NULL AND receipt_id IS NOT NULL;
CREATE INDEX unmatched_payment_newest ON unmatched_payment (merchant, seen_at DESC, id DESC);
CREATE INDEX unmatched_payment_receipt ON unmatched_payment (merchant, receipt_id) WHERE receipt_id IS NOT NULL;
CREATE INDEX unmatched_payment_lost_coin ON unmatched_payment (merchant, chain, address)
  WHERE state = 'orphaned' AND log_index < 0;

-- Finds payments by transaction, because a buyer knows the transaction but not the merchant.
CREATE INDEX unmatched_payment_hash ON unmatched_payment (chain, tx_hash);

-- Across all merchants: merchants whose inbox contains, or contained, money from a transaction.
CREATE TABLE unmatched_owner (
  tx_hash text NOT NULL,
  chain bigint NOT NULL,
  merchant text NOT NULL,
  PRIMARY KEY (tx_hash, chain, merchant)
);

-- Buyers' claims to an unmatched payment: one proven by the payer's wallet, and a few unproven ones.
CREATE TABLE payment_claim (
  merchant text NOT NULL,
  unmatched_id text NOT NULL,
  id text NOT NULL,
  wallet text,
  -- Equal for claims from one address, without revealing the address.
  origin text,
  refund_address text NOT NULL,
  contact text,
  note text,
  made_at bigint NOT NULL,
  PRIMARY KEY (merchant, unmatched_id, id)
);

CREATE UNIQUE INDEX payment_claim_proven ON payment_claim (merchant, unmatched_id) WHERE wallet IS NOT NULL;

-- Across all merchants: the payment that each case concerns, for the buyer who follows the case.
CREATE TABLE claim_case (
  id text PRIMARY KEY,
  merchant text NOT NULL,
  unmatched_id text NOT NULL
);

-- A challenge can be used once: its row is deleted on use.
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
