-- Merchants' events and their delivery. An outbox message is one event for one endpoint.

-- A webhook to deliver. It is claimed and settled within seconds. With free space on its page, an update
-- writes only the changed columns instead of the whole row and its entries in four indexes.
CREATE TABLE outbox_message (
  merchant text NOT NULL,
  id text NOT NULL,
  subject text NOT NULL,
  brand_key text NOT NULL,
  url text NOT NULL,
  host text NOT NULL,
  key_id text NOT NULL,
  encrypted_key text NOT NULL,
  idempotency_key text NOT NULL,
  -- Exact text that is signed and sent.
  body text NOT NULL,
  sequence bigint NOT NULL,
  state text NOT NULL CHECK (state IN ('pending', 'delivered', 'superseded', 'exhausted')),
  superseded_by text,
  delivery_id text NOT NULL,
  attempt_count bigint NOT NULL,
  -- Cycle 0 contains the first two attempts. Each later cycle is one scheduled attempt with its own
  -- `delivery_id`.
  cycle bigint NOT NULL,
  next_at bigint NOT NULL,
  -- Claim by the process that sends the message; 0 and null if unclaimed.
  claimed_until bigint NOT NULL,
  claim_token text,
  created_at bigint NOT NULL,
  settled_at bigint,
  PRIMARY KEY (merchant, id)
) WITH (fillfactor = 65);

-- Indexes an expression, so that only queries across all merchants use this index.
CREATE INDEX outbox_message_due ON outbox_message ((next_at + 0)) WHERE state = 'pending';

CREATE INDEX outbox_message_subject ON outbox_message (merchant, subject, sequence);
CREATE INDEX outbox_message_newest ON outbox_message (merchant, created_at DESC, id DESC);

-- Finds a merchant's first message without reading another merchant's long queue or delivered messages.
CREATE INDEX outbox_message_waiting ON outbox_message (merchant, next_at, sequence) WHERE state = 'pending';

CREATE TABLE delivery_attempt (
  merchant text NOT NULL,
  message_id text NOT NULL,
  attempt bigint NOT NULL,
  delivery_id text NOT NULL,
  started_at bigint NOT NULL,
  duration_ms bigint NOT NULL,
  -- HTTP status of the receiver's response; null without a response.
  status bigint,
  error text,
  -- Request headers, response headers and the beginning of the response, shown to the merchant.
  exchange jsonb,
  PRIMARY KEY (merchant, message_id, attempt),
  FOREIGN KEY (merchant, message_id) REFERENCES outbox_message (merchant, id)
);

-- The feed: every event of a merchant, with or without a webhook. The row is written in the transaction of
-- the change. `number` and the hashes are set after its commit. So a status change never waits for another
-- change of the same merchant, and a rollback uses up no number.
CREATE TABLE event (
  merchant text NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  message_id text,
  subject text NOT NULL,
  idempotency_key text NOT NULL,
  body text NOT NULL,
  created_at bigint NOT NULL,
  number bigint,
  previous_hash text,
  hash text,
  PRIMARY KEY (merchant, id)
);

CREATE UNIQUE INDEX event_number ON event (merchant, number) WHERE number IS NOT NULL;
CREATE INDEX event_unnumbered ON event (merchant, id) WHERE number IS NULL;
CREATE INDEX event_age ON event USING brin (created_at);

-- Last number assigned in a merchant's feed, and the hash of that event.
CREATE TABLE event_head (
  merchant text PRIMARY KEY,
  number bigint NOT NULL,
  hash text NOT NULL
);
