-- How far each watcher has read: block `number` with `hash` and everything below it.
CREATE TABLE chain_cursor (
  chain bigint NOT NULL,
  name text NOT NULL,
  number bigint NOT NULL,
  hash text NOT NULL,
  block_at bigint NOT NULL,
  moved_at bigint NOT NULL,
  PRIMARY KEY (chain, name)
);

-- The blocks above the final one, as they were when read: a reorg shows as another hash.
CREATE TABLE chain_block (
  chain bigint NOT NULL,
  number bigint NOT NULL,
  hash text NOT NULL,
  parent_hash text NOT NULL,
  block_at bigint NOT NULL,
  PRIMARY KEY (chain, number)
);

-- The chain's newest known tags.
CREATE TABLE chain_head (
  chain bigint PRIMARY KEY,
  latest bigint NOT NULL,
  safe bigint NOT NULL,
  final bigint NOT NULL,
  seen_at bigint NOT NULL
);
