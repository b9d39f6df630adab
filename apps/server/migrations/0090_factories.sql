-- Over all merchants: every factory that splits and deposit addresses of this deployment were made with. Money may come
-- to them for ever, so all of them are watched and swept, whichever makes the new ones.
CREATE TABLE chain_factory (
  chain bigint NOT NULL,
  address text NOT NULL,
  noted_at bigint NOT NULL,
  PRIMARY KEY (chain, address)
);

-- Those of earlier releases show in what was sent to them.
INSERT INTO chain_factory (chain, address, noted_at)
SELECT chain, to_address, min(created_at) FROM own_transaction WHERE kind IN ('deploy', 'sweep')
GROUP BY chain, to_address;

-- Null in rows of earlier releases: their addresses say which of the factories made them.
ALTER TABLE split ADD COLUMN factory text;

ALTER TABLE attempt ADD COLUMN factory text;
