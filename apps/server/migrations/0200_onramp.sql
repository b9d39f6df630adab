-- Whose delivery an attempt waits for: a provider's of card and bank payments. Absent where buyers pay from a wallet.
ALTER TABLE attempt ADD COLUMN provider text;

-- The attempt a buyer asked for last: only its failure can fail the receipt. And the provider's session that decided,
-- or else was opened last.
ALTER TABLE receipt ADD COLUMN current_attempt text;
ALTER TABLE receipt ADD COLUMN provider_session jsonb;

-- A session at a provider, one for each attempt. `reference` is our name for it and the key of the call that opens it,
-- so that a session whose id we never heard is found again. `state` only rises, whatever order events come in.
CREATE TABLE onramp_session (
  merchant text NOT NULL,
  reference text NOT NULL,
  receipt_id text NOT NULL,
  attempt_id text NOT NULL,
  provider text NOT NULL,
  session_id text,
  hosted_url text,
  client_address text,
  state text NOT NULL,
  changed_at bigint NOT NULL,
  fault jsonb,
  source jsonb,
  transaction_hash text,
  opened_at bigint NOT NULL,
  PRIMARY KEY (merchant, reference)
);

CREATE INDEX onramp_session_receipt ON onramp_session (merchant, receipt_id);

-- Over all merchants: whose a session is that an event names, and when the provider is asked about it next.
CREATE TABLE onramp_place (
  reference text PRIMARY KEY,
  provider text NOT NULL,
  session_id text,
  merchant text NOT NULL,
  receipt_id text NOT NULL,
  opened_at bigint NOT NULL,
  look_at bigint
);

CREATE UNIQUE INDEX onramp_place_session ON onramp_place (provider, session_id);

CREATE INDEX onramp_place_due ON onramp_place (look_at) WHERE look_at IS NOT NULL;

-- Every signed event once. The body is kept where nothing could be made of it.
CREATE TABLE onramp_event (
  provider text NOT NULL,
  id text NOT NULL,
  kind text NOT NULL,
  session_id text,
  outcome text NOT NULL,
  body text,
  happened_at bigint NOT NULL,
  received_at bigint NOT NULL,
  PRIMARY KEY (provider, id)
);

CREATE INDEX onramp_event_received ON onramp_event (received_at);

-- How far the provider's list has been compared.
CREATE TABLE onramp_listing (
  provider text PRIMARY KEY,
  opened_since bigint NOT NULL,
  list_cursor text,
  began_at bigint NOT NULL
);
