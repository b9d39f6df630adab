-- Until v0.1.0 is tagged, these files are edited in place. See docs/decisions/0017-one-baseline-schema.md.

-- State of the deployment: job leases, failed items, the master key check and the write journal.

-- Leases of jobs that run in one process at a time. Lease times use the database clock.
CREATE TABLE lease (
  name text PRIMARY KEY,
  holder text NOT NULL,
  fencing_token bigint NOT NULL,
  held_until timestamptz NOT NULL,
  -- Holder whose session lock existed when the lease was claimed. If that lock is gone, the process is dead,
  -- and the next process does not wait for `held_until`. Null if the state of the process is unknown.
  seated_as text
);

-- Failed items of jobs, with the reason, so that one item never blocks the others. A row is deleted when its
-- item is done.
CREATE TABLE deferred_item (
  job text NOT NULL,
  merchant text NOT NULL,
  item text NOT NULL,
  kind text NOT NULL,
  reason text NOT NULL,
  since bigint NOT NULL,
  tries bigint NOT NULL,
  next_try bigint NOT NULL,
  PRIMARY KEY (job, merchant, item)
);

-- Finds a job's oldest due items without reading items that are not due.
CREATE INDEX deferred_item_due ON deferred_item (job, next_try, merchant, item);

-- One row: this database's chain, and the master key that encrypts its secrets. Compared with the settings at
-- each start.
CREATE TABLE master_key_check (
  id bigint PRIMARY KEY CHECK (id = 1),
  chain bigint NOT NULL,
  key_id text NOT NULL,
  -- Previous master key, which some secrets may still require.
  previous_key_id text,
  encrypted text NOT NULL,
  checked_at bigint NOT NULL
);

-- Records of the write journals that were applied. After a crash, a journal is applied from its beginning,
-- and each record takes effect once.
CREATE TABLE applied_write (
  id text PRIMARY KEY,
  applied_at bigint NOT NULL
);
