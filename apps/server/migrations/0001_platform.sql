-- Until the tag v0.1.0 these files are edited in place: docs/decisions/0017-one-baseline-schema.md.

-- What one deployment has once: leases of jobs, items that failed, the master key, the write journal.

-- Work that one process does at a time. Lease times are database time.
CREATE TABLE lease (
  name text PRIMARY KEY,
  holder text NOT NULL,
  fencing_token bigint NOT NULL,
  held_until timestamptz NOT NULL,
  -- The holder whose session lock was seen when it claimed the lease. Once that lock is gone, the process is
  -- dead, and the next one does not wait for `held_until`. Null: nothing is known of the process.
  seated_as text
);

-- Items of jobs that failed, with the reason, so that one item never stops the others. A row is deleted once its
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

-- The oldest due items of a job, without reading those that are not due.
CREATE INDEX deferred_item_due ON deferred_item (job, next_try, merchant, item);

-- One row: the chain of this database and the master key its secrets are encrypted with, compared with the
-- settings at each start.
CREATE TABLE master_key_check (
  id bigint PRIMARY KEY CHECK (id = 1),
  chain bigint NOT NULL,
  key_id text NOT NULL,
  -- The key that some secrets may still be encrypted with.
  previous_key_id text,
  encrypted text NOT NULL,
  checked_at bigint NOT NULL
);

-- Records of the write journals that were applied. After a crash a journal is applied from its beginning, and each
-- record has its effect once.
CREATE TABLE applied_write (
  id text PRIMARY KEY,
  applied_at bigint NOT NULL
);
