-- What stays for ever of a receipt that was moved to the archive: its id, which is not given again, what the tallies know
-- of it, and the sealed key that signs its webhooks, which a replaced master key has to reach. `closed_at` finds its
-- document.
CREATE TABLE archived_receipt (
  merchant text NOT NULL,
  id text NOT NULL,
  closed_at bigint NOT NULL,
  archived_at bigint NOT NULL,
  created_at bigint NOT NULL,
  currency text NOT NULL,
  standing text NOT NULL,
  total_cents bigint NOT NULL,
  native_total_cents bigint,
  fee_cents bigint NOT NULL,
  refunded_cents bigint NOT NULL,
  key_id text,
  sealed_key text,
  PRIMARY KEY (merchant, id)
);

CREATE INDEX archived_receipt_newest ON archived_receipt (merchant, created_at DESC, id DESC);

-- Archived receipts, each one document: the row of `receipt` without its sealed key, its history and its telemetry, with
-- the columns they had. A partition for each month of `closed_at`, in UTC; one that is detached takes no part in anything.
CREATE TABLE archived_document (
  merchant text NOT NULL,
  id text NOT NULL,
  closed_at bigint NOT NULL,
  document jsonb NOT NULL,
  PRIMARY KEY (merchant, id, closed_at)
) PARTITION BY RANGE (closed_at);

-- Over all merchants: the months that ever had a partition. One that has none any more is detached, and gets no other.
CREATE TABLE archive_month (
  starts_at bigint PRIMARY KEY
);

-- A moved receipt leaves its attempts, payments, refunds and order where they are: what money depends on is not archived.
ALTER TABLE receipt_history DROP CONSTRAINT receipt_history_merchant_receipt_id_fkey;

ALTER TABLE receipt_telemetry DROP CONSTRAINT receipt_telemetry_merchant_receipt_id_fkey;

ALTER TABLE attempt DROP CONSTRAINT attempt_merchant_receipt_id_fkey;

ALTER TABLE refund DROP CONSTRAINT refund_merchant_receipt_id_fkey;

ALTER TABLE customer_order DROP CONSTRAINT customer_order_merchant_id_fkey;

-- Makes the partition of the month that a moment lies in, in Unix milliseconds, where there was never one; whether there is
-- one now that is attached.
CREATE FUNCTION make_archive_month(moment bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  month_start timestamp := date_trunc('month', to_timestamp(moment / 1000) AT TIME ZONE 'UTC');
  month_end timestamp := month_start + interval '1 month';
  partition_name text := 'archived_document_' || to_char(month_start, 'YYYY_MM');
  start_ms bigint := extract(epoch FROM month_start AT TIME ZONE 'UTC')::bigint * 1000;
  end_ms bigint := extract(epoch FROM month_end AT TIME ZONE 'UTC')::bigint * 1000;
BEGIN
  PERFORM inhrelid FROM pg_catalog.pg_inherits WHERE inhparent = 'archived_document'::regclass
    AND inhrelid = to_regclass(partition_name) AND NOT inhdetachpending;
  IF FOUND THEN
    RETURN true;
  END IF;
  PERFORM starts_at FROM archive_month WHERE starts_at = start_ms;
  IF FOUND THEN
    RETURN false;
  END IF;
  EXECUTE format('CREATE TABLE %I PARTITION OF archived_document FOR VALUES FROM (%s) TO (%s)',
    partition_name, start_ms, end_ms);
  INSERT INTO archive_month (starts_at) VALUES (start_ms);
  RETURN true;
END $$;
