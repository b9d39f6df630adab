-- Over all merchants, one row: which chain this database belongs to and which master key its secrets are sealed with,
-- held against the settings at each start. `previous_key_id` is the key that some may still be sealed with.
CREATE TABLE database_seal (
  id bigint PRIMARY KEY CHECK (id = 1),
  chain bigint NOT NULL,
  key_id text NOT NULL,
  previous_key_id text,
  sealed text NOT NULL,
  sealed_at bigint NOT NULL
);
