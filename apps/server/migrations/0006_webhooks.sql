-- Events for merchants and their delivery. An outbox message is one event for one endpoint.

-- A webhook to deliver. It is claimed and settled within seconds: with room on its page, an update writes the columns
-- that changed instead of the row and its entries in four indexes.
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
  -- The exact text that is signed and sent.
  body text NOT NULL,
  sequence bigint NOT NULL,
  state text NOT NULL CHECK (state IN ('pending', 'delivered', 'superseded', 'exhausted')),
  superseded_by text,
  delivery_id text NOT NULL,
  attempt_count bigint NOT NULL,
  -- 0 is the first two attempts; each later cycle is one attempt of the schedule, with a `delivery_id` of its own.
  cycle bigint NOT NULL,
  next_at bigint NOT NULL,
  -- Of the process that sends it; 0 and null while it is not claimed.
  claimed_until bigint NOT NULL,
  claim_token text,
  created_at bigint NOT NULL,
  settled_at bigint,
  PRIMARY KEY (merchant, id)
) WITH (fillfactor = 65);

-- Of a sum, so that it is chosen only by what asks about all merchants.
CREATE INDEX outbox_message_due ON outbox_message ((next_at + 0)) WHERE state = 'pending';

CREATE INDEX outbox_message_subject ON outbox_message (merchant, subject, sequence);
CREATE INDEX outbox_message_newest ON outbox_message (merchant, created_at DESC, id DESC);

-- The first message of a merchant, without reading the long queue of another or delivered messages.
CREATE INDEX outbox_message_waiting ON outbox_message (merchant, next_at, sequence) WHERE state = 'pending';

CREATE TABLE delivery_attempt (
  merchant text NOT NULL,
  message_id text NOT NULL,
  attempt bigint NOT NULL,
  delivery_id text NOT NULL,
  started_at bigint NOT NULL,
  duration_ms bigint NOT NULL,
  -- Of the receiver's response; null without one.
  status bigint,
  error text,
  -- Headers sent and received, and the beginning of the response, for the merchant to see.
  exchange jsonb,
  PRIMARY KEY (merchant, message_id, attempt),
  FOREIGN KEY (merchant, message_id) REFERENCES outbox_message (merchant, id)
);

-- The feed: every event of a merchant, with a webhook or without. The row is written with the change; `number` and the
-- hashes follow after its commit, so that no status change waits for another one of its merchant, and a rollback uses up
-- no number.
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

-- How far a merchant's feed is numbered, and the hash of its last event.
CREATE TABLE event_head (
  merchant text PRIMARY KEY,
  number bigint NOT NULL,
  hash text NOT NULL
);
