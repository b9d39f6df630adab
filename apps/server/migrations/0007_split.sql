-- Split contracts: their versions, what they received and paid, what is still to be distributed.

-- Versions of a split. A version waits until `effective_at`, and then until its contract is deployed.
CREATE TABLE split (
  merchant text NOT NULL,
  version bigint NOT NULL,
  chain bigint NOT NULL,
  address text NOT NULL,
  salt text NOT NULL,
  factory text NOT NULL,
  recipients jsonb NOT NULL,
  fee_bps bigint NOT NULL,
  platform_recipient text,
  state text NOT NULL CHECK (state IN ('scheduled', 'in-force', 'cancelled')),
  effective_at bigint NOT NULL,
  -- When the version took over; null before.
  in_force_at bigint,
  cancelled_at bigint,
  deployed_at bigint,
  deployed_tx text,
  created_at bigint NOT NULL,
  PRIMARY KEY (merchant, version)
);

-- Over all merchants: the split that an address is.
CREATE TABLE split_address (
  chain bigint NOT NULL,
  address text NOT NULL,
  merchant text NOT NULL,
  version bigint NOT NULL,
  is_deployed boolean NOT NULL,
  -- When the chain is asked next whether the contract is deployed.
  look_at bigint NOT NULL DEFAULT 0,
  -- Money received up to this block is not recorded: it came before the contract was taken over. 0 for a split that was
  -- made for this service.
  read_from bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (chain, address)
);

CREATE INDEX split_address_undeployed ON split_address (chain, address) WHERE NOT is_deployed;

-- Over all merchants: the version that follows the one in force, at most one for each merchant.
CREATE TABLE split_change (
  merchant text PRIMARY KEY,
  version bigint NOT NULL,
  chain bigint NOT NULL,
  address text NOT NULL,
  effective_at bigint NOT NULL
);

CREATE INDEX split_change_due ON split_change (chain, effective_at);

-- Money that reached a split, read from final blocks only, in the order of the chain.
CREATE TABLE split_arrival (
  merchant text NOT NULL,
  chain bigint NOT NULL,
  tx_hash text NOT NULL,
  log_index bigint NOT NULL,
  split_address text NOT NULL,
  token_address text NOT NULL,
  amount numeric(78, 0) NOT NULL,
  -- All that the split ever received of the token, this transfer included.
  received_after numeric(78, 0) NOT NULL,
  kind text NOT NULL CHECK (kind IN ('call', 'sweep', 'plain')),
  reference text,
  receipt_id text,
  block_number bigint NOT NULL,
  block_hash text NOT NULL,
  block_at bigint NOT NULL,
  -- The transaction that paid the last recipient's part.
  distributed_tx text,
  distributed_block bigint,
  distributed_at bigint,
  -- What of it the contract still keeps, by account.
  held jsonb,
  orphaned_at bigint,
  PRIMARY KEY (merchant, chain, tx_hash, log_index)
);

CREATE INDEX split_arrival_order ON split_arrival (merchant, split_address, token_address, block_number, log_index);
CREATE INDEX split_arrival_newest ON split_arrival (merchant, block_number DESC, log_index DESC);
CREATE INDEX split_arrival_unsettled ON split_arrival (merchant, split_address, token_address)
  WHERE distributed_at IS NULL OR held IS NOT NULL;
CREATE INDEX split_arrival_receipt ON split_arrival (merchant, receipt_id);
CREATE INDEX split_arrival_at ON split_arrival (merchant, block_at);

-- Transfers without a log of their own, or without a reference.
CREATE INDEX split_arrival_plain ON split_arrival (merchant, split_address, token_address) WHERE kind = 'plain';

-- The first sweep after each payment. Anybody can sweep, and can send dust.
CREATE INDEX split_arrival_sweep ON split_arrival
  (merchant, chain, reference, token_address, block_number, log_index)
  WHERE kind = 'sweep' AND orphaned_at IS NULL AND receipt_id IS NOT NULL;

-- The same by any reference of the receipt, for money that no attempt explains.
CREATE INDEX split_arrival_receipt_sweep ON split_arrival
  (merchant, chain, receipt_id, token_address, block_number, log_index)
  WHERE kind = 'sweep' AND orphaned_at IS NULL;

-- What left a split, read from final blocks only.
CREATE TABLE split_release (
  merchant text NOT NULL,
  chain bigint NOT NULL,
  tx_hash text NOT NULL,
  log_index bigint NOT NULL,
  split_address text NOT NULL,
  token_address text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('distributed', 'released', 'held')),
  -- Null if all recipients were paid at once.
  account text,
  amount numeric(78, 0),
  received_total numeric(78, 0),
  block_number bigint NOT NULL,
  block_hash text NOT NULL,
  block_at bigint NOT NULL,
  orphaned_at bigint,
  -- Whether the contract kept one base unit of the last recipient's part, so that its balance is never zero.
  is_unit_kept boolean NOT NULL DEFAULT false,
  PRIMARY KEY (merchant, chain, tx_hash, log_index)
);

CREATE INDEX split_release_order ON split_release (merchant, split_address, token_address, block_number, log_index);

-- Sums of the two tables above, by token.
CREATE TABLE split_ledger (
  merchant text NOT NULL,
  chain bigint NOT NULL,
  split_address text NOT NULL,
  token_address text NOT NULL,
  received numeric(78, 0) NOT NULL,
  -- What was received at the last distribution.
  level numeric(78, 0) NOT NULL,
  -- By account.
  released jsonb NOT NULL,
  -- The account whose unit is kept.
  unit_kept_for text,
  PRIMARY KEY (merchant, chain, split_address, token_address)
);

-- Over all merchants: final blocks that brought a split something or took something out, to notice a chain that loses
-- final blocks, such as a local one after a crash.
CREATE TABLE split_block (
  chain bigint NOT NULL,
  number bigint NOT NULL,
  merchant text NOT NULL,
  hash text NOT NULL,
  PRIMARY KEY (chain, number, merchant)
);

-- Over all merchants: ledgers of splits that are deferred, and the block above which they are read again.
CREATE TABLE deferred_ledger (
  chain bigint NOT NULL,
  merchant text NOT NULL,
  above bigint NOT NULL,
  PRIMARY KEY (chain, merchant)
);

-- Over all merchants: splits with money to distribute.
CREATE TABLE distribution_due (
  chain bigint NOT NULL,
  split_address text NOT NULL,
  token_address text NOT NULL,
  merchant text NOT NULL,
  version bigint NOT NULL,
  -- The time of the oldest money in question.
  since bigint NOT NULL,
  PRIMARY KEY (chain, split_address, token_address)
);
