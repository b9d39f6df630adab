-- A webhook we owe. The body is the exact text that is signed and sent.
-- `cycle` 0 is the first two attempts; each later cycle is one attempt of the schedule under a `delivery_id` of its own.
-- `claimed_until` and `claim_token` are of whoever is sending it now; 0 and null of nobody.
CREATE TABLE notice (
  merchant text NOT NULL,
  id text NOT NULL,
  lane smallint NOT NULL,
  subject text NOT NULL,
  brand_key text NOT NULL,
  url text NOT NULL,
  host text NOT NULL,
  key_id text NOT NULL,
  sealed_key text NOT NULL,
  idempotency_key text NOT NULL,
  body text NOT NULL,
  sequence bigint NOT NULL,
  state text NOT NULL CHECK (state IN ('pending', 'delivered', 'superseded', 'exhausted')),
  superseded_by text,
  delivery_id text NOT NULL,
  attempt_count bigint NOT NULL,
  cycle bigint NOT NULL,
  next_at bigint NOT NULL,
  claimed_until bigint NOT NULL,
  claim_token text,
  created_at bigint NOT NULL,
  settled_at bigint,
  PRIMARY KEY (merchant, id)
);

CREATE INDEX notice_due ON notice (lane, next_at) WHERE state = 'pending';

CREATE INDEX notice_subject ON notice (merchant, subject, sequence);

-- One attempt to deliver a notice. `status` is the receiver's; null where none came.
CREATE TABLE delivery_attempt (
  merchant text NOT NULL,
  notice_id text NOT NULL,
  attempt bigint NOT NULL,
  delivery_id text NOT NULL,
  started_at bigint NOT NULL,
  duration_ms bigint NOT NULL,
  status bigint,
  fault text,
  PRIMARY KEY (merchant, notice_id, attempt)
);

ALTER TABLE delivery_attempt ADD FOREIGN KEY (merchant, notice_id) REFERENCES notice (merchant, id);
