-- Over all merchants: payments that buyers signed and the service submits for them (EIP-3009). One row each, written
-- before anything is sent. The key is what the token itself accepts once.
CREATE TABLE relayed_payment (
  chain bigint NOT NULL,
  token_address text NOT NULL,
  payer text NOT NULL,
  nonce text NOT NULL,
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
  -- How far the chain was when it came: it was not used below.
  opened_block bigint NOT NULL,
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

-- One at a time for each receipt: nobody pays twice by signing twice.
CREATE UNIQUE INDEX relayed_payment_under_way ON relayed_payment (merchant, receipt_id)
  WHERE state IN ('waiting', 'sent');

-- What a transaction cost, in the smallest units of the native token; null until it is mined.
ALTER TABLE own_transaction ADD COLUMN fee numeric(40, 0);

CREATE INDEX own_transaction_relay ON own_transaction ((detail->>'authorization')) WHERE kind = 'relay';

CREATE INDEX own_transaction_relayed ON own_transaction (chain, created_at) WHERE kind = 'relay';
