-- Making a partition locks the archive for a moment. While somebody reads it for long, as a dump does, whoever asks next
-- would wait behind that lock: the month is made at a later walk then, and false says that there is none.
CREATE OR REPLACE FUNCTION make_archive_month(moment bigint) RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '250ms' AS $$
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
EXCEPTION
  WHEN lock_not_available THEN RETURN false;
END $$;
