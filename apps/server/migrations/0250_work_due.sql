-- Over all merchants: who may have work of a kind to be done. Where merchants are spread over machines, only those
-- that stand here are asked for it. A row that is closing is deleted once no transaction can count on it any more.
CREATE TABLE work_due (
  kind text NOT NULL,
  merchant text NOT NULL,
  lane smallint NOT NULL,
  closing_at bigint,
  PRIMARY KEY (kind, merchant)
);

CREATE INDEX work_due_lane ON work_due (kind, lane, merchant);
