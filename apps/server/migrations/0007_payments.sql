-- An offer to pay one receipt in one token. `total_cents` is what the customer owed in all when it was made,
-- `due_cents` what of it was still missing, `amount` the same in base units of the token.
CREATE TABLE attempt (
  merchant text NOT NULL,
  id text NOT NULL,
  receipt_id text NOT NULL,
  chain bigint NOT NULL,
  token text NOT NULL,
  token_address text NOT NULL,
  total_cents bigint NOT NULL,
  due_cents bigint NOT NULL,
  amount numeric(78, 0) NOT NULL,
  rate_e8 numeric(40, 0) NOT NULL,
  quote jsonb NOT NULL,
  reference text NOT NULL,
  deposit_address text NOT NULL,
  split_address text NOT NULL,
  split_version bigint NOT NULL,
  payer text,
  opened_block bigint NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  closed_at bigint,
  watch_until bigint NOT NULL,
  PRIMARY KEY (merchant, id)
);

CREATE INDEX attempt_receipt ON attempt (merchant, receipt_id, created_at);

ALTER TABLE attempt ADD FOREIGN KEY (merchant, receipt_id) REFERENCES receipt (merchant, id);

-- Over all merchants: what the watcher looks for, and whose attempt it is. Looked at with every block until
-- `hot_until`, then hourly until `watch_until`; `is_open` until it is paid or the blocks up to `expires_at` were read.
CREATE TABLE attempt_target (
  chain bigint NOT NULL,
  deposit_address text NOT NULL,
  reference text NOT NULL,
  token_address text NOT NULL,
  merchant text NOT NULL,
  attempt_id text NOT NULL,
  receipt_id text NOT NULL,
  split_address text NOT NULL,
  is_open boolean NOT NULL,
  expires_at bigint NOT NULL,
  hot_until bigint NOT NULL,
  watch_until bigint NOT NULL,
  PRIMARY KEY (chain, deposit_address)
);

CREATE UNIQUE INDEX attempt_target_reference ON attempt_target (chain, reference);

CREATE INDEX attempt_target_hot ON attempt_target (chain, hot_until);

CREATE INDEX attempt_target_watch ON attempt_target (chain, watch_until);

CREATE INDEX attempt_target_open ON attempt_target (chain, expires_at) WHERE is_open;

-- Over all merchants: a log credits once, for ever. Logs have an empty address; coin that leaves no log has
-- log_index -1 and the address it reached, and, where no top-level transaction explains it, the hash of the
-- block in which it was noticed. A claim follows its log to another block.
CREATE TABLE log_claim (
  tx_hash text NOT NULL,
  chain bigint NOT NULL,
  log_index bigint NOT NULL,
  address text NOT NULL,
  merchant text NOT NULL,
  claimed_at bigint NOT NULL,
  PRIMARY KEY (tx_hash, chain, log_index, address)
);

-- Money seen for an attempt. Kept for ever: a reorg marks, it never deletes.
CREATE TABLE payment (
  merchant text NOT NULL,
  chain bigint NOT NULL,
  tx_hash text NOT NULL,
  log_index bigint NOT NULL,
  address text NOT NULL,
  receipt_id text NOT NULL,
  attempt_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('call', 'transfer', 'native')),
  token text NOT NULL,
  token_address text NOT NULL,
  amount numeric(78, 0) NOT NULL,
  payer text,
  rate_e8 numeric(40, 0) NOT NULL,
  is_late boolean NOT NULL,
  block_number bigint NOT NULL,
  block_hash text NOT NULL,
  block_at bigint NOT NULL,
  state text NOT NULL CHECK (state IN ('seen', 'credited', 'unmatched', 'orphaned')),
  seen_at bigint NOT NULL,
  credited_at bigint,
  swept_tx text,
  PRIMARY KEY (merchant, chain, tx_hash, log_index, address)
);

CREATE INDEX payment_receipt ON payment (merchant, receipt_id);

-- Over all merchants: in which block each payment stands, as long as the block may be taken back, and at which
-- finality of it the receipt is to be looked at again. Money that no receipt explains has no receipt here.
CREATE TABLE payment_block (
  chain bigint NOT NULL,
  tx_hash text NOT NULL,
  log_index bigint NOT NULL,
  address text NOT NULL,
  merchant text NOT NULL,
  receipt_id text,
  block_number bigint NOT NULL,
  wanted text CHECK (wanted IN ('safe', 'final')),
  PRIMARY KEY (chain, tx_hash, log_index, address, merchant)
);

CREATE INDEX payment_block_number ON payment_block (chain, block_number);

CREATE INDEX payment_block_wanted ON payment_block (chain, wanted, block_number) WHERE wanted IS NOT NULL;

-- Over all merchants: the chain's coin at deposit addresses, in (+) and swept out (-). What a balance holds
-- beyond the sum came by a way that leaves no trace of its own.
CREATE TABLE deposit_coin (
  chain bigint NOT NULL,
  tx_hash text NOT NULL,
  log_index bigint NOT NULL,
  deposit_address text NOT NULL,
  amount numeric(79, 0) NOT NULL,
  block_number bigint NOT NULL,
  PRIMARY KEY (chain, deposit_address, tx_hash, log_index)
);

CREATE INDEX deposit_coin_number ON deposit_coin (chain, block_number);

-- Money that no receipt explains, in the merchant's inbox until a person decides.
CREATE TABLE unmatched_payment (
  merchant text NOT NULL,
  id text NOT NULL,
  chain bigint NOT NULL,
  tx_hash text NOT NULL,
  log_index bigint NOT NULL,
  address text NOT NULL,
  receipt_id text,
  token_address text NOT NULL,
  amount numeric(78, 0) NOT NULL,
  payer text,
  reason text NOT NULL,
  state text NOT NULL CHECK (state IN ('open', 'applied', 'refunded', 'kept', 'orphaned')),
  block_number bigint NOT NULL,
  block_hash text NOT NULL,
  block_at bigint NOT NULL,
  seen_at bigint NOT NULL,
  PRIMARY KEY (merchant, id)
);

CREATE UNIQUE INDEX unmatched_payment_key ON unmatched_payment (merchant, chain, tx_hash, log_index, address);
