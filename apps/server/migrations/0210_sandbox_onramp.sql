-- The sandbox plays a card company: these rows are its own, not the service's. Play money only.
CREATE TABLE sandbox_session (
  id text PRIMARY KEY,
  -- The service's own name for the session.
  reference text NOT NULL UNIQUE,
  state text NOT NULL CHECK (state IN ('opened', 'failed', 'ach_pending', 'returned', 'accepted', 'settled')),
  state_at bigint NOT NULL,
  created_at bigint NOT NULL,
  -- What is delivered, where.
  chain bigint NOT NULL,
  token text NOT NULL,
  units numeric NOT NULL,
  decimals bigint NOT NULL,
  deposit_address text NOT NULL,
  due_cents bigint NOT NULL,
  -- What the buyer was charged; absent while nothing was.
  source_cents bigint,
  redirect_url text NOT NULL,
  email text,
  billing jsonb,
  error_code text,
  request_id text,
  -- When an accepted bank payment is settled, or returned with this failure code.
  settles_at bigint,
  returns_as text,
  transaction_hash text
);
CREATE INDEX sandbox_session_due ON sandbox_session (settles_at) WHERE state = 'ach_pending';
CREATE INDEX sandbox_session_unpaid ON sandbox_session (state_at) WHERE state = 'accepted';
CREATE INDEX sandbox_session_listed ON sandbox_session (created_at, id);

-- What the sandbox has to report, byte for byte, until it was taken.
CREATE TABLE sandbox_event (
  id text PRIMARY KEY,
  session text NOT NULL REFERENCES sandbox_session (id) ON DELETE CASCADE,
  body text NOT NULL,
  tries bigint NOT NULL,
  due_at bigint NOT NULL
);
CREATE INDEX sandbox_event_due ON sandbox_event (due_at, id);
CREATE INDEX sandbox_event_session ON sandbox_event (session);

-- Which session a transaction of the sandbox's treasury paid.
CREATE INDEX own_transaction_payout ON own_transaction (chain, (detail ->> 'session')) WHERE kind = 'payout';
