-- Data read from the chain, and the service's own transactions.

-- Progress of each watcher: it has read block `number` and all blocks below it.
CREATE TABLE chain_cursor (
  chain bigint NOT NULL,
  name text NOT NULL,
  number bigint NOT NULL,
  hash text NOT NULL,
  block_at bigint NOT NULL,
  moved_at bigint NOT NULL,
  PRIMARY KEY (chain, name)
);

-- Blocks above the final block, as they were when read. A different hash reveals a reorg.
CREATE TABLE chain_block (
  chain bigint NOT NULL,
  number bigint NOT NULL,
  hash text NOT NULL,
  parent_hash text NOT NULL,
  block_at bigint NOT NULL,
  PRIMARY KEY (chain, number)
);

-- Latest known head, safe block and final block of the chain.
CREATE TABLE chain_head (
  chain bigint PRIMARY KEY,
  latest bigint NOT NULL,
  safe bigint NOT NULL,
  final bigint NOT NULL,
  seen_at bigint NOT NULL
);

-- Every factory that created splits and deposit addresses of this deployment. Money can arrive at these
-- addresses at any time, so all of them are watched and swept, whichever factory creates the new ones.
CREATE TABLE chain_factory (
  chain bigint NOT NULL,
  address text NOT NULL,
  noted_at bigint NOT NULL,
  PRIMARY KEY (chain, address)
);

-- Transactions of the service. Each is stored with its signature before it is sent, so that the same bytes
-- are sent after a crash.
CREATE TABLE outgoing_transaction (
  chain bigint NOT NULL,
  sender text NOT NULL,
  nonce bigint NOT NULL,
  -- Counts the transactions signed for one nonce, with rising fees. At most one of them is mined.
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
  -- Whether a mined transaction had an effect; null until it is mined.
  had_effect boolean,
  -- Cost of the transaction, in the smallest units of the native token; null until it is mined.
  fee numeric(40, 0),
  PRIMARY KEY (chain, sender, nonce, attempt)
);

CREATE INDEX outgoing_transaction_open ON outgoing_transaction (chain, sender, nonce) WHERE state = 'signed';
CREATE INDEX outgoing_transaction_mined ON outgoing_transaction (chain, mined_block) WHERE state = 'mined';
CREATE INDEX outgoing_transaction_in_vain ON outgoing_transaction (chain, kind, created_at)
  WHERE state = 'reverted' OR had_effect = false;

-- Finds the treasury transaction that paid out a sandbox session.
CREATE INDEX outgoing_transaction_payout ON outgoing_transaction (chain, (detail ->> 'session')) WHERE kind = 'payout';

-- Finds transactions that submit signed payments. A `fill` uses up the nonce of a transaction that would come
-- too late.
CREATE INDEX outgoing_transaction_relay ON outgoing_transaction ((detail->>'authorization')) WHERE kind = 'relay';
CREATE INDEX outgoing_transaction_relayed ON outgoing_transaction (chain, created_at) WHERE kind IN ('relay', 'fill');
