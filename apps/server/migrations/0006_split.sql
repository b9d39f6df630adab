CREATE TABLE split (
  merchant text NOT NULL,
  version bigint NOT NULL,
  chain bigint NOT NULL,
  address text NOT NULL,
  salt text NOT NULL,
  recipients jsonb NOT NULL,
  fee_bps bigint NOT NULL,
  platform_recipient text,
  deployed_at bigint,
  deployed_tx text,
  created_at bigint NOT NULL,
  PRIMARY KEY (merchant, version)
);

-- Over all merchants: whose split an address is.
CREATE TABLE split_address (
  chain bigint NOT NULL,
  address text NOT NULL,
  merchant text NOT NULL,
  version bigint NOT NULL,
  PRIMARY KEY (chain, address)
);

-- Money that reached a split, read from final blocks only, in the order of the chain.
-- `received_after` is all the split ever received of the token, this arrival included.
CREATE TABLE split_arrival (
  merchant text NOT NULL,
  chain bigint NOT NULL,
  tx_hash text NOT NULL,
  log_index bigint NOT NULL,
  split_address text NOT NULL,
  token_address text NOT NULL,
  amount numeric(78, 0) NOT NULL,
  received_after numeric(78, 0) NOT NULL,
  kind text NOT NULL CHECK (kind IN ('call', 'sweep', 'plain')),
  reference text,
  receipt_id text,
  block_number bigint NOT NULL,
  block_hash text NOT NULL,
  block_at bigint NOT NULL,
  distributed_tx text,
  distributed_block bigint,
  distributed_at bigint,
  held jsonb,
  orphaned_at bigint,
  PRIMARY KEY (merchant, chain, tx_hash, log_index)
);

CREATE INDEX split_arrival_order ON split_arrival (merchant, split_address, token_address, block_number, log_index);

CREATE INDEX split_arrival_newest ON split_arrival (merchant, block_at DESC, tx_hash, log_index);

CREATE INDEX split_arrival_receipt ON split_arrival (merchant, receipt_id);

-- What left a split, read from final blocks only. `account` is null where everybody was paid at once.
CREATE TABLE split_release (
  merchant text NOT NULL,
  chain bigint NOT NULL,
  tx_hash text NOT NULL,
  log_index bigint NOT NULL,
  split_address text NOT NULL,
  token_address text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('distributed', 'released', 'held')),
  account text,
  amount numeric(78, 0),
  received_total numeric(78, 0),
  block_number bigint NOT NULL,
  block_hash text NOT NULL,
  block_at bigint NOT NULL,
  orphaned_at bigint,
  PRIMARY KEY (merchant, chain, tx_hash, log_index)
);

CREATE INDEX split_release_order ON split_release (merchant, split_address, token_address, block_number, log_index);

-- Transactions of our own, written down signed before they are sent: after a crash the same bytes are sent again.
CREATE TABLE own_transaction (
  chain bigint NOT NULL,
  sender text NOT NULL,
  nonce bigint NOT NULL,
  kind text NOT NULL,
  detail jsonb NOT NULL,
  raw text NOT NULL,
  hash text NOT NULL,
  state text NOT NULL CHECK (state IN ('signed', 'mined', 'reverted', 'replaced')),
  created_at bigint NOT NULL,
  sent_at bigint,
  mined_block bigint,
  PRIMARY KEY (chain, sender, nonce)
);
