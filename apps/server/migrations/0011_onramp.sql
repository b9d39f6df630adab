-- Card and bank payments, and the sandbox that simulates a card provider.

-- Sessions at providers, one per attempt.
CREATE TABLE onramp_session (
  merchant text NOT NULL,
  -- The service's name for the session, and the key of the request that opens it. A session whose id was lost
  -- is found by this reference.
  reference text NOT NULL,
  receipt_id text NOT NULL,
  attempt_id text NOT NULL,
  provider text NOT NULL,
  session_id text,
  hosted_url text,
  -- Deleted once the provider has given its final answer.
  client_address text,
  -- Only advances, in whatever order events arrive.
  state text NOT NULL,
  changed_at bigint NOT NULL,
  error jsonb,
  source jsonb,
  transaction_hash text,
  opened_at bigint NOT NULL,
  PRIMARY KEY (merchant, reference)
);

CREATE INDEX onramp_session_receipt ON onramp_session (merchant, receipt_id);

-- Across all merchants: sessions by the reference that events contain.
CREATE TABLE onramp_place (
  reference text PRIMARY KEY,
  provider text NOT NULL,
  session_id text,
  merchant text NOT NULL,
  receipt_id text NOT NULL,
  opened_at bigint NOT NULL,
  -- Time of the next request to the provider.
  look_at bigint
);

CREATE UNIQUE INDEX onramp_place_session ON onramp_place (provider, session_id);
CREATE INDEX onramp_place_due ON onramp_place (look_at) WHERE look_at IS NOT NULL;

-- Sessions that the provider never opened. They are deleted when they are old.
CREATE INDEX onramp_place_unopened ON onramp_place (opened_at) WHERE session_id IS NULL;

-- Each signed event, stored once.
CREATE TABLE onramp_event (
  provider text NOT NULL,
  id text NOT NULL,
  kind text NOT NULL,
  session_id text,
  outcome text NOT NULL,
  -- Stored if the event was not understood.
  body text,
  happened_at bigint NOT NULL,
  received_at bigint NOT NULL,
  PRIMARY KEY (provider, id)
);

CREATE INDEX onramp_event_received ON onramp_event (received_at);

-- Progress of the comparison with the provider's list.
CREATE TABLE onramp_listing (
  provider text PRIMARY KEY,
  opened_since bigint NOT NULL,
  list_cursor text,
  began_at bigint NOT NULL
);

-- Rows of the sandbox itself, not of the service. Play money only.
CREATE TABLE sandbox_session (
  id text PRIMARY KEY,
  -- The service's name for the session.
  reference text NOT NULL UNIQUE,
  state text NOT NULL CHECK (state IN ('opened', 'failed', 'ach_pending', 'returned', 'accepted', 'settled')),
  state_at bigint NOT NULL,
  created_at bigint NOT NULL,
  chain bigint NOT NULL,
  token text NOT NULL,
  units numeric NOT NULL,
  decimals bigint NOT NULL,
  deposit_address text NOT NULL,
  due_cents bigint NOT NULL,
  -- Amount charged to the buyer; null before the charge.
  source_cents bigint,
  redirect_url text NOT NULL,
  error_code text,
  request_id text,
  -- Time at which an accepted bank payment settles, or is returned with the failure code `returns_as`.
  settles_at bigint,
  returns_as text,
  transaction_hash text
);

CREATE INDEX sandbox_session_due ON sandbox_session (settles_at) WHERE state = 'ach_pending';
CREATE INDEX sandbox_session_unpaid ON sandbox_session (state_at) WHERE state = 'accepted';
CREATE INDEX sandbox_session_listed ON sandbox_session (created_at, id);

-- Bodies that the sandbox must deliver, byte for byte, until they are accepted.
CREATE TABLE sandbox_event (
  id text PRIMARY KEY,
  session text NOT NULL REFERENCES sandbox_session (id) ON DELETE CASCADE,
  body text NOT NULL,
  tries bigint NOT NULL,
  due_at bigint NOT NULL
);

CREATE INDEX sandbox_event_due ON sandbox_event (due_at, id);
CREATE INDEX sandbox_event_session ON sandbox_event (session);
