-- What checkout pages told of themselves, counted; it proves nothing and moves no status.
CREATE TABLE receipt_telemetry (
  merchant text NOT NULL,
  receipt_id text NOT NULL,
  value text NOT NULL,
  count bigint NOT NULL,
  first_at bigint NOT NULL,
  last_at bigint NOT NULL,
  PRIMARY KEY (merchant, receipt_id, value)
);

ALTER TABLE receipt_telemetry ADD FOREIGN KEY (merchant, receipt_id) REFERENCES receipt (merchant, id);
