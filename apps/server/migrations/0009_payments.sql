-- Offers to pay, what the watcher found for them, and what buyers signed.

-- An offer to pay one receipt in one token. A deposit address that recovery finds belongs to a receipt that this database
-- may not have.
CREATE TABLE attempt (
  merchant text NOT NULL,
  id text NOT NULL,
  receipt_id text NOT NULL,
  chain bigint NOT NULL,
  token text NOT NULL,
  token_address text NOT NULL,
  -- What the buyer owed in all, what of it was missing, and the same in base units of the token.
  total_cents bigint NOT NULL,
  due_cents bigint NOT NULL,
  amount numeric(78, 0) NOT NULL,
  rate_e8 numeric(40, 0) NOT NULL,
  quote jsonb NOT NULL,
  reference text NOT NULL,
  -- Which number of the recovery seed the reference is.
  number bigint,
  deposit_address text NOT NULL,
  factory text NOT NULL,
  split_address text NOT NULL,
  split_version bigint NOT NULL,
  payer text,
  -- The provider of a card or bank payment; null for a payment from a wallet.
  provider text,
  opened_block bigint NOT NULL,
  created_at bigint NOT NULL,
  -- When a buyer or a buyer's wallet asked for the offer; null if a page was only opened.
  asked_at bigint,
  expires_at bigint NOT NULL,
  closed_at bigint,
  watch_until bigint NOT NULL,
  PRIMARY KEY (merchant, id)
);

CREATE INDEX attempt_receipt ON attempt (merchant, receipt_id, created_at);

-- Over all merchants: what the watcher looks for. Compared with every block until `hot_until`, then hourly until
-- `watch_until`; open until it is paid or the blocks up to `expires_at` were read.
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

-- Over all merchants: a log credits once. A claim follows its log to another block.
CREATE TABLE log_claim (
  tx_hash text NOT NULL,
  chain bigint NOT NULL,
  -- -1 for coin without a log.
  log_index bigint NOT NULL,
  -- Empty for a log. For coin the address it reached and, if no top-level transaction explains it, the hash of the
  -- block in which it was noticed.
  address text NOT NULL,
  merchant text NOT NULL,
  claimed_at bigint NOT NULL,
  PRIMARY KEY (tx_hash, chain, log_index, address)
);

-- Money seen for an attempt. A reorg marks a row and never deletes it.
CREATE TABLE payment (
  merchant text NOT NULL,
  chain bigint NOT NULL,
  tx_hash text NOT NULL,
  log_index bigint NOT NULL,
  address text NOT NULL,
  receipt_id text NOT NULL,
  attempt_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('call', 'transfer', 'native')),
  -- How the money came, and the reference, deposit address or split it named: what makes a log the same log when its
  -- transaction runs again in another block.
  source text,
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
  -- When an admin accepted the loss of a payment that the chain took back: the receipt stays paid.
  accepted_at bigint,
  -- `none` if nothing was there.
  swept_tx text,
  PRIMARY KEY (merchant, chain, tx_hash, log_index, address)
);

CREATE INDEX payment_receipt ON payment (merchant, receipt_id);
CREATE INDEX payment_unswept ON payment (chain, block_number) WHERE swept_tx IS NULL AND kind <> 'call';
CREATE INDEX payment_lost ON payment (merchant, receipt_id) WHERE state = 'orphaned' AND credited_at IS NOT NULL;
CREATE INDEX payment_lost_coin ON payment (merchant, chain, address) WHERE state = 'orphaned' AND log_index < 0;

-- All payments of a merchant, in the order of the chain.
CREATE INDEX payment_by_block ON payment (merchant, chain, block_number, log_index, tx_hash, address);

-- Over all merchants: the block of each payment as long as a reorg may remove it.
CREATE TABLE payment_block (
  chain bigint NOT NULL,
  tx_hash text NOT NULL,
  log_index bigint NOT NULL,
  address text NOT NULL,
  merchant text NOT NULL,
  -- Null for an unmatched payment.
  receipt_id text,
  block_number bigint NOT NULL,
  -- The finality of the block at which the receipt is looked at again.
  wanted text CHECK (wanted IN ('safe', 'final')),
  PRIMARY KEY (chain, tx_hash, log_index, address, merchant)
);

CREATE INDEX payment_block_number ON payment_block (chain, block_number);
CREATE INDEX payment_block_wanted ON payment_block (chain, wanted, block_number) WHERE wanted IS NOT NULL;

-- Over all merchants: the chain's coin at deposit addresses, in (+) and swept out (-). A balance above the sum came by a
-- way that leaves no trace.
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

-- Deposits that are worth less than the gas of sweeping them. Looked at again at `look_at`, or when more comes.
CREATE TABLE sweep_waiting (
  merchant text NOT NULL,
  chain bigint NOT NULL,
  receipt_id text NOT NULL,
  token_address text NOT NULL,
  amount numeric(78, 0) NOT NULL,
  -- The newest block with money for it.
  block_number bigint NOT NULL,
  since bigint NOT NULL,
  look_at bigint NOT NULL,
  PRIMARY KEY (merchant, chain, receipt_id, token_address)
);

-- Over all merchants: receipts whose money is through the split.
CREATE TABLE reconcile_due (
  merchant text NOT NULL,
  receipt_id text NOT NULL,
  queued_at bigint NOT NULL,
  due_at bigint NOT NULL,
  PRIMARY KEY (merchant, receipt_id)
);

CREATE INDEX reconcile_due_next ON reconcile_due (due_at);

-- The last of the idle splits and deposits that the comparison of ledger and chain looked at, by address.
CREATE TABLE comparison_round (
  chain bigint PRIMARY KEY,
  after_split text NOT NULL,
  after_deposit text NOT NULL
);

-- Over all merchants: findings for deferred items. The cursors have moved on, so a finding is kept until its item is done
-- or its block is no longer part of the chain.
CREATE TABLE deferred_finding (
  chain bigint NOT NULL,
  merchant text NOT NULL,
  item text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('finding', 'unmatched', 'orphaned')),
  tx_hash text NOT NULL,
  log_index bigint NOT NULL,
  address text NOT NULL,
  block_number bigint NOT NULL,
  content jsonb NOT NULL,
  PRIMARY KEY (chain, merchant, item, kind, tx_hash, log_index, address)
);

CREATE INDEX deferred_finding_number ON deferred_finding (chain, block_number);

-- One row: what the references of attempts follow from, encrypted with the master key. It never changes.
CREATE TABLE recovery_seed (
  id bigint PRIMARY KEY CHECK (id = 1),
  encrypted text NOT NULL,
  made_at bigint NOT NULL,
  -- When the operator had written its words down.
  confirmed_at bigint
);

-- Over all merchants: stretches of time that this database does not know, as a restored copy, or because no process ran.
-- Attempts opened then are searched by the numbers of their references.
CREATE TABLE lost_time (
  chain bigint NOT NULL,
  from_at bigint NOT NULL,
  to_at bigint NOT NULL,
  from_block bigint NOT NULL,
  noticed_at bigint NOT NULL,
  -- How far the search has come.
  next_place bigint NOT NULL,
  look_at bigint NOT NULL,
  -- When money was last found.
  found_at bigint,
  PRIMARY KEY (chain, from_at)
);

-- Over all merchants: payments that buyers signed and the service submits. A row is written before anything is sent; its
-- key is what the token accepts once.
CREATE TABLE relayed_payment (
  chain bigint NOT NULL,
  token_address text NOT NULL,
  payer text NOT NULL,
  nonce text NOT NULL,
  -- An EIP-3009 authorization, an EIP-2612 permit, or a signature for Permit2.
  way text NOT NULL DEFAULT 'authorization' CHECK (way IN ('authorization', 'permit', 'permit2')),
  -- The permit's nonce at the token, which counts up for each owner.
  permit_nonce numeric(78, 0),
  merchant text NOT NULL,
  receipt_id text NOT NULL,
  attempt_id text NOT NULL,
  deposit_address text NOT NULL,
  amount numeric(78, 0) NOT NULL,
  -- Unix seconds, as they were signed.
  valid_after bigint NOT NULL,
  valid_before bigint NOT NULL,
  signature text NOT NULL,
  state text NOT NULL CHECK (state IN ('waiting', 'sent', 'mined', 'failed')),
  -- Why it failed.
  reason text,
  -- The head of the chain when it came: it was not used below.
  opened_block bigint NOT NULL,
  -- When a facilitator was first given it.
  asked_at bigint,
  tx_hash text,
  tx_block bigint,
  created_at bigint NOT NULL,
  -- When nothing about it can change any more.
  settled_at bigint,
  PRIMARY KEY (chain, token_address, payer, nonce)
);

CREATE INDEX relayed_payment_open ON relayed_payment (chain, created_at) WHERE settled_at IS NULL;
CREATE INDEX relayed_payment_receipt ON relayed_payment (merchant, receipt_id, created_at);
CREATE INDEX relayed_payment_reverted ON relayed_payment (chain, payer, created_at) WHERE reason = 'reverted';
CREATE INDEX relayed_payment_failed ON relayed_payment (chain, settled_at) WHERE state = 'failed';

-- One at a time for each receipt: a buyer who signs twice pays once.
CREATE UNIQUE INDEX relayed_payment_under_way ON relayed_payment (merchant, receipt_id)
  WHERE state IN ('waiting', 'sent');

-- One permit of an owner at a time: the next one is signed with the nonce after it.
CREATE UNIQUE INDEX relayed_payment_permit ON relayed_payment (chain, token_address, payer)
  WHERE permit_nonce IS NOT NULL AND state IN ('waiting', 'sent');
