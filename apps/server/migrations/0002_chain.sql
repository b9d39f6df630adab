-- What was read of the chain, and the service's own transactions.

-- How far each watcher has read: block `number` and everything below it.
CREATE TABLE chain_cursor (
  chain bigint NOT NULL,
  name text NOT NULL,
  number bigint NOT NULL,
  hash text NOT NULL,
  block_at bigint NOT NULL,
  moved_at bigint NOT NULL,
  PRIMARY KEY (chain, name)
);

-- Blocks above the final one, as they were when read: a reorg shows as another hash.
CREATE TABLE chain_block (
  chain bigint NOT NULL,
  number bigint NOT NULL,
  hash text NOT NULL,
  parent_hash text NOT NULL,
  block_at bigint NOT NULL,
  PRIMARY KEY (chain, number)
);

-- The newest known tags of the chain.
CREATE TABLE chain_head (
  chain bigint PRIMARY KEY,
  latest bigint NOT NULL,
  safe bigint NOT NULL,
  final bigint NOT NULL,
  seen_at bigint NOT NULL
);

-- Every factory that made splits and deposit addresses of this deployment. Money can come to those at any time, so all of
-- them are watched and swept, whichever makes the new ones.
CREATE TABLE chain_factory (
  chain bigint NOT NULL,
  address text NOT NULL,
  noted_at bigint NOT NULL,
  PRIMARY KEY (chain, address)
);

-- Transactions of the service, stored with their signature before they are sent: after a crash the same bytes are sent.
CREATE TABLE outgoing_transaction (
  chain bigint NOT NULL,
  sender text NOT NULL,
  nonce bigint NOT NULL,
  -- Counts what was signed for one nonce with rising fees. At most one of them is mined.
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
  -- Whether a mined transaction did anything; null while it is open.
  had_effect boolean,
  -- What it cost, in the smallest units of the native token; null until it is mined.
  fee numeric(40, 0),
  PRIMARY KEY (chain, sender, nonce, attempt)
);

CREATE INDEX outgoing_transaction_open ON outgoing_transaction (chain, sender, nonce) WHERE state = 'signed';
CREATE INDEX outgoing_transaction_mined ON outgoing_transaction (chain, mined_block) WHERE state = 'mined';
CREATE INDEX outgoing_transaction_in_vain ON outgoing_transaction (chain, kind, created_at)
  WHERE state = 'reverted' OR had_effect = false;

-- The session that a transaction of the sandbox's treasury paid.
CREATE INDEX outgoing_transaction_payout ON outgoing_transaction (chain, (detail ->> 'session')) WHERE kind = 'payout';

-- Signed payments that the service submitted; a `fill` uses up the nonce of one that came too late.
CREATE INDEX outgoing_transaction_relay ON outgoing_transaction ((detail->>'authorization')) WHERE kind = 'relay';
CREATE INDEX outgoing_transaction_relayed ON outgoing_transaction (chain, created_at) WHERE kind IN ('relay', 'fill');
