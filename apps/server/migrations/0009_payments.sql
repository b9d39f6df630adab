-- Offers to pay, the payments that the watcher found for them, and the payments that buyers signed.

-- An offer to pay one receipt in one token. The receipt may be missing from this database if recovery found
-- the deposit address.
CREATE TABLE attempt (
  merchant text NOT NULL,
  id text NOT NULL,
  receipt_id text NOT NULL,
  chain bigint NOT NULL,
  token text NOT NULL,
  token_address text NOT NULL,
  -- Total that the buyer had to pay, the part still missing, and that part in base units of the token.
  total_cents bigint NOT NULL,
  due_cents bigint NOT NULL,
  amount numeric(78, 0) NOT NULL,
  rate_e8 numeric(40, 0) NOT NULL,
  quote jsonb NOT NULL,
  reference text NOT NULL,
  -- Number from which the recovery seed derives the reference.
  number bigint,
  deposit_address text NOT NULL,
  factory text NOT NULL,
  split_address text NOT NULL,
  split_version bigint NOT NULL,
  payer text,
  -- Provider of a card or bank payment; null for a payment from a wallet.
  provider text,
  opened_block bigint NOT NULL,
  created_at bigint NOT NULL,
  -- Time at which a buyer or a buyer's wallet requested the offer; null if a page was only opened.
  asked_at bigint,
  expires_at bigint NOT NULL,
  closed_at bigint,
  watch_until bigint NOT NULL,
  PRIMARY KEY (merchant, id)
);

CREATE INDEX attempt_receipt ON attempt (merchant, receipt_id, created_at);

-- Across all merchants: targets that the watcher looks for. Compared with every block until `hot_until`, then
-- hourly until `watch_until`. Open until paid, or until the blocks up to `expires_at` are read.
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

-- Across all merchants: ensures that a log is credited once. A claim follows its log to another block.
CREATE TABLE log_claim (
  tx_hash text NOT NULL,
  chain bigint NOT NULL,
  -- -1 for native coin without a log.
  log_index bigint NOT NULL,
  -- Empty for a log. For native coin, the receiving address and, if no top-level transaction explains the
  -- payment, the hash of the block in which it was found.
  address text NOT NULL,
  merchant text NOT NULL,
  claimed_at bigint NOT NULL,
  PRIMARY KEY (tx_hash, chain, log_index, address)
);

-- Money seen for an attempt. A reorg marks the row and never deletes it.
CREATE TABLE payment (
  merchant text NOT NULL,
  chain bigint NOT NULL,
  tx_hash text NOT NULL,
  log_index bigint NOT NULL,
  address text NOT NULL,
  receipt_id text NOT NULL,
  attempt_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('call', 'transfer', 'native')),
  -- How the money arrived, and the reference, deposit address or split that it named. They identify the log
  -- if its transaction runs again in another block.
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
  -- Time at which an admin accepted the loss of a payment that a reorg removed. The receipt stays paid.
  accepted_at bigint,
  -- `none` if there was nothing to sweep.
  swept_tx text,
  PRIMARY KEY (merchant, chain, tx_hash, log_index, address)
);

CREATE INDEX payment_receipt ON payment (merchant, receipt_id);
CREATE INDEX payment_unswept ON payment (chain, block_number) WHERE swept_tx IS NULL AND kind <> 'call';
CREATE INDEX payment_lost ON payment (merchant, receipt_id) WHERE state = 'orphaned' AND credited_at IS NOT NULL;
CREATE INDEX payment_lost_coin ON payment (merchant, chain, address) WHERE state = 'orphaned' AND log_index < 0;

-- All payments of a merchant, in chain order.
CREATE INDEX payment_by_block ON payment (merchant, chain, block_number, log_index, tx_hash, address);

-- Across all merchants: the block of each payment that a reorg can still remove.
CREATE TABLE payment_block (
  chain bigint NOT NULL,
  tx_hash text NOT NULL,
  log_index bigint NOT NULL,
  address text NOT NULL,
  merchant text NOT NULL,
  -- Null for an unmatched payment.
  receipt_id text,
  block_number bigint NOT NULL,
  -- Finality that the block must reach before the receipt is checked again.
  wanted text CHECK (wanted IN ('safe', 'final')),
  PRIMARY KEY (chain, tx_hash, log_index, address, merchant)
);

CREATE INDEX payment_block_number ON payment_block (chain, block_number);
CREATE INDEX payment_block_wanted ON payment_block (chain, wanted, block_number) WHERE wanted IS NOT NULL;

-- Across all merchants: native coin at deposit addresses, received (+) and swept (-). Any balance above the
-- sum arrived in a way that leaves no trace.
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

-- Deposits worth less than the gas to sweep them. Checked again at `look_at`, or when more money arrives.
CREATE TABLE sweep_waiting (
  merchant text NOT NULL,
  chain bigint NOT NULL,
  receipt_id text NOT NULL,
  token_address text NOT NULL,
  amount numeric(78, 0) NOT NULL,
  -- Newest block in which the deposit received money.
  block_number bigint NOT NULL,
  since bigint NOT NULL,
  look_at bigint NOT NULL,
  PRIMARY KEY (merchant, chain, receipt_id, token_address)
);

-- Across all merchants: receipts whose money has passed through the split.
CREATE TABLE reconcile_due (
  merchant text NOT NULL,
  receipt_id text NOT NULL,
  queued_at bigint NOT NULL,
  due_at bigint NOT NULL,
  PRIMARY KEY (merchant, receipt_id)
);

CREATE INDEX reconcile_due_next ON reconcile_due (due_at);

-- Last idle split and last idle deposit, by address, that were compared between ledger and chain.
CREATE TABLE comparison_round (
  chain bigint PRIMARY KEY,
  after_split text NOT NULL,
  after_deposit text NOT NULL
);

-- Across all merchants: what the watcher has read and what is not settled yet: payments, unmatched payments, and
-- payments whose block a reorg removed. The cursors have advanced past it.
CREATE TABLE finding (
  chain bigint NOT NULL,
  merchant text NOT NULL,
  -- The receipt, or the payment if it belongs to no receipt.
  item text NOT NULL,
  receipt_id text,
  kind text NOT NULL CHECK (kind IN ('finding', 'unmatched', 'orphaned')),
  tx_hash text NOT NULL,
  log_index bigint NOT NULL,
  address text NOT NULL,
  block_number bigint NOT NULL,
  content jsonb NOT NULL,
  PRIMARY KEY (chain, merchant, item, kind, tx_hash, log_index, address)
);

CREATE INDEX finding_number ON finding (chain, block_number);

-- One row: the seed from which the references of attempts are derived, encrypted with the master key. It
-- never changes.
CREATE TABLE recovery_seed (
  id bigint PRIMARY KEY CHECK (id = 1),
  encrypted text NOT NULL,
  made_at bigint NOT NULL,
  -- Time at which the operator confirmed the written copy of its words.
  confirmed_at bigint
);

-- Across all merchants: periods missing from this database, because it is a restored copy or no process ran.
-- Attempts opened in these periods are searched by the numbers of their references.
CREATE TABLE lost_time (
  chain bigint NOT NULL,
  from_at bigint NOT NULL,
  to_at bigint NOT NULL,
  from_block bigint NOT NULL,
  noticed_at bigint NOT NULL,
  -- Number at which the search continues.
  next_place bigint NOT NULL,
  look_at bigint NOT NULL,
  -- Time at which money was last found.
  found_at bigint,
  PRIMARY KEY (chain, from_at)
);

-- Across all merchants: payments that buyers sign and the service submits. A row is written before anything
-- is sent. Its key identifies what the token accepts only once.
CREATE TABLE relayed_payment (
  chain bigint NOT NULL,
  token_address text NOT NULL,
  payer text NOT NULL,
  nonce text NOT NULL,
  -- Signature type: an EIP-3009 authorization, an EIP-2612 permit or a Permit2 signature.
  way text NOT NULL DEFAULT 'authorization' CHECK (way IN ('authorization', 'permit', 'permit2')),
  -- Nonce of the permit at the token. It increases by one with each permit of the owner.
  permit_nonce numeric(78, 0),
  merchant text NOT NULL,
  receipt_id text NOT NULL,
  attempt_id text NOT NULL,
  deposit_address text NOT NULL,
  amount numeric(78, 0) NOT NULL,
  -- In Unix seconds, as signed.
  valid_after bigint NOT NULL,
  valid_before bigint NOT NULL,
  signature text NOT NULL,
  state text NOT NULL CHECK (state IN ('waiting', 'sent', 'mined', 'failed')),
  -- Reason for the failure.
  reason text,
  -- Chain head when the signature arrived. The signature was not used in any earlier block.
  opened_block bigint NOT NULL,
  -- Time at which a facilitator first received the payment.
  asked_at bigint,
  tx_hash text,
  tx_block bigint,
  created_at bigint NOT NULL,
  -- Time after which nothing about the payment can change.
  settled_at bigint,
  PRIMARY KEY (chain, token_address, payer, nonce)
);

CREATE INDEX relayed_payment_open ON relayed_payment (chain, created_at) WHERE settled_at IS NULL;
CREATE INDEX relayed_payment_receipt ON relayed_payment (merchant, receipt_id, created_at);
CREATE INDEX relayed_payment_reverted ON relayed_payment (chain, payer, created_at) WHERE reason = 'reverted';
CREATE INDEX relayed_payment_failed ON relayed_payment (chain, settled_at) WHERE state = 'failed';

-- At most one pending payment per receipt, so that a buyer who signs twice pays once.
CREATE UNIQUE INDEX relayed_payment_under_way ON relayed_payment (merchant, receipt_id)
  WHERE state IN ('waiting', 'sent');

-- At most one pending permit per owner: the next permit is signed with the following nonce.
CREATE UNIQUE INDEX relayed_payment_permit ON relayed_payment (chain, token_address, payer)
  WHERE permit_nonce IS NOT NULL AND state IN ('waiting', 'sent');
