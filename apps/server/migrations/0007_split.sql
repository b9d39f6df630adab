-- Split contracts: their versions, the money received and paid out, and the money to distribute.

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
  -- Time at which the version took effect; null before.
  in_force_at bigint,
  cancelled_at bigint,
  deployed_at bigint,
  deployed_tx text,
  created_at bigint NOT NULL,
  PRIMARY KEY (merchant, version)
);

-- Across all merchants: splits by address.
CREATE TABLE split_address (
  chain bigint NOT NULL,
  address text NOT NULL,
  merchant text NOT NULL,
  version bigint NOT NULL,
  is_deployed boolean NOT NULL,
  -- Time of the next check whether the contract is deployed.
  look_at bigint NOT NULL DEFAULT 0,
  -- Money received up to this block is not recorded, because it arrived before the service took over the
  -- contract. 0 for a split that was created for this service.
  read_from bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (chain, address)
);

CREATE INDEX split_address_undeployed ON split_address (chain, address) WHERE NOT is_deployed;

-- Across all merchants: the version that follows the one in force. At most one per merchant.
CREATE TABLE split_change (
  merchant text PRIMARY KEY,
  version bigint NOT NULL,
  chain bigint NOT NULL,
  address text NOT NULL,
  effective_at bigint NOT NULL
);

CREATE INDEX split_change_due ON split_change (chain, effective_at);

-- Money that reached a split, in chain order. Read from final blocks only.
CREATE TABLE split_arrival (
  merchant text NOT NULL,
  chain bigint NOT NULL,
  tx_hash text NOT NULL,
  log_index bigint NOT NULL,
  split_address text NOT NULL,
  token_address text NOT NULL,
  amount numeric(78, 0) NOT NULL,
  -- Total of the token that the split has received, including this transfer.
  received_after numeric(78, 0) NOT NULL,
  kind text NOT NULL CHECK (kind IN ('call', 'sweep', 'plain')),
  reference text,
  receipt_id text,
  block_number bigint NOT NULL,
  block_hash text NOT NULL,
  block_at bigint NOT NULL,
  -- Transaction that paid the last recipient's part.
  distributed_tx text,
  distributed_block bigint,
  distributed_at bigint,
  -- Amounts of this transfer that the contract still holds, by account.
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

-- Transfers that have no log of their own, or no reference.
CREATE INDEX split_arrival_plain ON split_arrival (merchant, split_address, token_address) WHERE kind = 'plain';

-- First sweep after each payment. Anyone can sweep, and anyone can send dust.
CREATE INDEX split_arrival_sweep ON split_arrival
  (merchant, chain, reference, token_address, block_number, log_index)
  WHERE kind = 'sweep' AND orphaned_at IS NULL AND receipt_id IS NOT NULL;

-- The same, by any reference of the receipt, for money that matches no attempt.
CREATE INDEX split_arrival_receipt_sweep ON split_arrival
  (merchant, chain, receipt_id, token_address, block_number, log_index)
  WHERE kind = 'sweep' AND orphaned_at IS NULL;

-- Money that left a split. Read from final blocks only.
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

-- Totals of the two tables above, by token.
CREATE TABLE split_ledger (
  merchant text NOT NULL,
  chain bigint NOT NULL,
  split_address text NOT NULL,
  token_address text NOT NULL,
  received numeric(78, 0) NOT NULL,
  -- Total received as of the last distribution.
  level numeric(78, 0) NOT NULL,
  -- Amounts paid out, by account.
  released jsonb NOT NULL,
  -- Account whose last base unit the contract keeps.
  unit_kept_for text,
  PRIMARY KEY (merchant, chain, split_address, token_address)
);

-- Across all merchants: final blocks in which a split received or paid out money. They reveal a chain that
-- loses final blocks, such as a local chain after a crash.
CREATE TABLE split_block (
  chain bigint NOT NULL,
  number bigint NOT NULL,
  merchant text NOT NULL,
  hash text NOT NULL,
  PRIMARY KEY (chain, number, merchant)
);

-- Across all merchants: deferred ledgers of splits, and the block above which they are read again.
CREATE TABLE deferred_ledger (
  chain bigint NOT NULL,
  merchant text NOT NULL,
  above bigint NOT NULL,
  PRIMARY KEY (chain, merchant)
);

-- Across all merchants: splits with money to distribute.
CREATE TABLE distribution_due (
  chain bigint NOT NULL,
  split_address text NOT NULL,
  token_address text NOT NULL,
  merchant text NOT NULL,
  version bigint NOT NULL,
  -- Time at which the oldest of this money arrived.
  since bigint NOT NULL,
  PRIMARY KEY (chain, split_address, token_address)
);
