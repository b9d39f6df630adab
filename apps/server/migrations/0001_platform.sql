-- What is one per deployment: leases over work that one process does at a time. Lease times are database time.
CREATE TABLE lease (
  name text PRIMARY KEY,
  holder text NOT NULL,
  fencing_token bigint NOT NULL,
  held_until timestamptz NOT NULL
);
