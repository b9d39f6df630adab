-- The feed: every notification of a merchant, whether a webhook carries it or not. The row is written with the
-- change it tells of; `number` and the hashes follow once it is committed, so that no status change waits for
-- another one of its merchant, and no number is ever used up by a change that was rolled back.
CREATE TABLE event (
  merchant text NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  notice_id text,
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

-- The delivery log is read newest first.
CREATE INDEX notice_newest ON notice (merchant, created_at DESC, id DESC);
