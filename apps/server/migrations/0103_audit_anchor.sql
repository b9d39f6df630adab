-- Up to which entry a chain's head has been written into the log, outside this database.
ALTER TABLE audit_head ADD COLUMN anchored bigint NOT NULL DEFAULT 0;

CREATE INDEX audit_head_unanchored ON audit_head (merchant) WHERE anchored < sequence;
