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

-- Over all merchants: whose split an address is, and whether its contract is known to stand there.
CREATE TABLE split_address (
  chain bigint NOT NULL,
  address text NOT NULL,
  merchant text NOT NULL,
  version bigint NOT NULL,
  is_deployed boolean NOT NULL,
  PRIMARY KEY (chain, address)
);

CREATE INDEX split_address_undeployed ON split_address (chain, address) WHERE NOT is_deployed;

-- Money that reached a split, read from final blocks only, in the order of the chain.
-- `received_after` is all the split ever received of the token, this arrival included. `distributed_…` names
-- what settled the last recipient's part; `held` says by account what of it the contract still keeps.
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

CREATE INDEX split_arrival_newest ON split_arrival (merchant, block_number DESC, log_index DESC);

CREATE INDEX split_arrival_unsettled ON split_arrival (merchant, split_address, token_address)
  WHERE distributed_at IS NULL OR held IS NOT NULL;

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

-- What a split received, shared out and paid of one token up to the last final block read: the sum of the rows
-- of the two tables above. `level` is what was received when it was last distributed; `released` is by account.
CREATE TABLE split_ledger (
  merchant text NOT NULL,
  chain bigint NOT NULL,
  split_address text NOT NULL,
  token_address text NOT NULL,
  received numeric(78, 0) NOT NULL,
  level numeric(78, 0) NOT NULL,
  released jsonb NOT NULL,
  PRIMARY KEY (merchant, chain, split_address, token_address)
);

-- Over all merchants: the splits that owe somebody something, with the time of the oldest money in question.
CREATE TABLE distribution_due (
  chain bigint NOT NULL,
  split_address text NOT NULL,
  token_address text NOT NULL,
  merchant text NOT NULL,
  version bigint NOT NULL,
  since bigint NOT NULL,
  PRIMARY KEY (chain, split_address, token_address)
);

-- Over all merchants: receipts whose money is through the split and which are to be looked at again.
CREATE TABLE reconcile_due (
  merchant text NOT NULL,
  receipt_id text NOT NULL,
  queued_at bigint NOT NULL,
  due_at bigint NOT NULL,
  PRIMARY KEY (merchant, receipt_id)
);

CREATE INDEX reconcile_due_next ON reconcile_due (due_at);

-- Over all merchants: the final blocks that brought a split something or took something out. A chain that loses
-- final blocks all the same (a local one after a crash) is noticed by them.
CREATE TABLE split_block (
  chain bigint NOT NULL,
  number bigint NOT NULL,
  merchant text NOT NULL,
  hash text NOT NULL,
  PRIMARY KEY (chain, number, merchant)
);

-- Transactions of our own, written down signed before they are sent: after a crash the same bytes are sent again.
-- `attempt` counts what was signed for one nonce with rising fees; one of them at most is ever mined.
CREATE TABLE own_transaction (
  chain bigint NOT NULL,
  sender text NOT NULL,
  nonce bigint NOT NULL,
  attempt bigint NOT NULL,
  kind text NOT NULL,
  detail jsonb NOT NULL,
  to_address text NOT NULL,
  data text NOT NULL,
  gas bigint NOT NULL,
  max_fee_per_gas numeric(40, 0) NOT NULL,
  max_priority_fee_per_gas numeric(40, 0) NOT NULL,
  raw text NOT NULL,
  hash text NOT NULL,
  state text NOT NULL CHECK (state IN ('signed', 'mined', 'reverted', 'replaced')),
  created_at bigint NOT NULL,
  sent_at bigint,
  mined_block bigint,
  PRIMARY KEY (chain, sender, nonce, attempt)
);

CREATE INDEX own_transaction_open ON own_transaction (chain, sender, nonce) WHERE state = 'signed';

CREATE INDEX own_transaction_mined ON own_transaction (chain, mined_block) WHERE state = 'mined';
