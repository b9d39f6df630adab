-- Over all merchants: whose books of splits are set aside, and above which block they have to be read again.
CREATE TABLE set_aside_books (
  chain bigint NOT NULL,
  merchant text NOT NULL,
  above bigint NOT NULL,
  PRIMARY KEY (chain, merchant)
);
