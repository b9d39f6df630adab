-- Answers to be given again to the same Idempotency-Key. Without a body: the answer held a secret and is never kept.
CREATE TABLE idempotency (
  merchant text NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  key text NOT NULL,
  request_hash text NOT NULL,
  status smallint NOT NULL,
  body text,
  created_at bigint NOT NULL,
  PRIMARY KEY (merchant, method, path, key)
);

CREATE INDEX idempotency_by_age ON idempotency (merchant, created_at);

-- What is left of each rate limit where several processes share it. Lost in a crash, and then full again.
CREATE UNLOGGED TABLE rate_bucket (
  key text PRIMARY KEY,
  tokens double precision NOT NULL,
  granted double precision NOT NULL,
  at bigint NOT NULL
);

CREATE INDEX rate_bucket_by_age ON rate_bucket (at);
