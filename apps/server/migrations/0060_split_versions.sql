-- A version waits until `effective_at`, then until its contract stands; `in_force_at` says when it took over.
-- Where the times are absent the version was in force from its creation on.
ALTER TABLE split ADD COLUMN state text NOT NULL DEFAULT 'in-force';

ALTER TABLE split ADD CHECK (state IN ('scheduled', 'in-force', 'cancelled'));

ALTER TABLE split ADD COLUMN effective_at bigint;

ALTER TABLE split ADD COLUMN in_force_at bigint;

ALTER TABLE split ADD COLUMN cancelled_at bigint;

-- When the chain is asked next whether the contract stands there.
ALTER TABLE split_address ADD COLUMN look_at bigint NOT NULL DEFAULT 0;

-- Over all merchants: the version that is to follow the one in force, one a merchant at most.
CREATE TABLE split_change (
  merchant text NOT NULL,
  version bigint NOT NULL,
  chain bigint NOT NULL,
  address text NOT NULL,
  effective_at bigint NOT NULL,
  PRIMARY KEY (merchant)
);

CREATE INDEX split_change_due ON split_change (chain, effective_at);

-- What arrived of late is added up where a change of recipients is looked at beforehand.
CREATE INDEX split_arrival_at ON split_arrival (merchant, block_at);
