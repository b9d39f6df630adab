-- As before, and waits for nobody who is changing a receipt that is there already: after a short while it looks for what is
-- there, and only where that is nothing does it wait for whoever is storing it in this moment.
-- Stores receipts with the first row of their history, their part of the tallies, what they are found by, and the answers
-- to their Idempotency-Keys: all of it, and the answer is NULL, or nothing, and the answer is what was there already.
-- `near` is one of their merchants, on whose machine it runs; the others' rows stand there too, or it takes longer.
-- `sent` has `receipts`, `terms` and `answers`, rows as the tables have them; each names its merchant.
-- It is dear, so that each call is planned by its merchant and sent to that machine.
-- To look first, in every call, took two thirds of its rate: a machine plans a statement for each merchant.
CREATE OR REPLACE FUNCTION store_receipts(near text, sent jsonb) RETURNS jsonb LANGUAGE plpgsql COST 100000
SET lock_timeout = '100ms' AS $$
DECLARE
  sent_receipt record;
  sent_answer record;
  kept record;
  known_receipts jsonb := '[]';
  known_answers jsonb := '[]';
  is_patient boolean := false;
  is_taken boolean;
BEGIN
  LOOP
    BEGIN
      INSERT INTO receipt (merchant, id, status, origin, format, currency, total_cents, fee_cents, fee_hundredths,
        native_total_cents, lines, pricing, tax, brand_key, brand_name, redirect_url, return_url,
        webhook_url, on_success, provider_email, billing, metadata, transaction_id, content_hash, key_id,
        sealed_key, split_version, expires_at, cancelled_at, created_at, updated_at, failure,
        transaction_hash, transaction_at, token, paid_units, buyer_wallet, payment, current_attempt,
        provider_session, refunded_cents, history_count)
      SELECT merchant, id, status, origin, format, currency, total_cents, fee_cents, fee_hundredths,
        native_total_cents, lines, pricing, tax, brand_key, brand_name, redirect_url, return_url,
        webhook_url, on_success, provider_email, billing, metadata, transaction_id, content_hash, key_id,
        sealed_key, split_version, expires_at, cancelled_at, created_at, updated_at, failure,
        transaction_hash, transaction_at, token, paid_units, buyer_wallet, payment, current_attempt,
        provider_session, refunded_cents, history_count
      FROM jsonb_populate_recordset(NULL::receipt, sent -> 'receipts');
      INSERT INTO receipt_history (merchant, receipt_id, seq, kind, to_status, detail, at)
      SELECT merchant, id, 1, 'created', status, '{}', created_at
      FROM jsonb_to_recordset(sent -> 'receipts') AS new (merchant text, id text, status text, created_at bigint);
      -- A new receipt is not cancelled: its standing is its status.
      INSERT INTO receipt_tally_change (merchant, quarter, currency, status, receipts, total_cents, native_cents, fee_cents,
        refunded_cents)
      SELECT merchant, created_at - created_at % 900000, currency, status, count(*), sum(total_cents),
        sum(coalesce(native_total_cents, total_cents)),
        sum(coalesce(round(fee_cents::numeric * coalesce(native_total_cents, total_cents) / nullif(total_cents, 0)), 0)::bigint),
        sum(coalesce(round(refunded_cents::numeric * coalesce(native_total_cents, total_cents) / nullif(total_cents, 0)), 0)::bigint)
      FROM jsonb_to_recordset(sent -> 'receipts') AS new (merchant text, created_at bigint, currency text, status text,
        total_cents bigint, native_total_cents bigint, fee_cents bigint, refunded_cents bigint)
      GROUP BY 1, 2, 3, 4;
      IF sent -> 'terms' <> '[]' THEN
        INSERT INTO receipt_term (merchant, term, created_at, receipt_id)
        SELECT merchant, term, created_at, receipt_id FROM jsonb_populate_recordset(NULL::receipt_term, sent -> 'terms');
      END IF;
      IF sent -> 'answers' <> '[]' THEN
        INSERT INTO idempotency (merchant, method, path, key, request_hash, status, body, created_at)
        SELECT merchant, method, path, key, request_hash, status, body, created_at
        FROM jsonb_populate_recordset(NULL::idempotency, sent -> 'answers');
      END IF;
      RETURN NULL;
    EXCEPTION
      WHEN unique_violation THEN
        is_taken := true;
      WHEN lock_not_available THEN
        IF is_patient THEN
          RAISE;
        END IF;
        is_taken := false;
    END;
    FOR sent_receipt IN
      SELECT * FROM jsonb_to_recordset(sent -> 'receipts') AS each (merchant text, id text)
    LOOP
      PERFORM id FROM receipt WHERE merchant = sent_receipt.merchant AND id = sent_receipt.id;
      IF FOUND THEN
        known_receipts := known_receipts || to_jsonb(sent_receipt);
      END IF;
    END LOOP;
    FOR sent_answer IN
      SELECT * FROM jsonb_to_recordset(sent -> 'answers') AS each (merchant text, method text, path text, key text)
    LOOP
      SELECT merchant, method, path, key, request_hash, status, body INTO kept FROM idempotency
      WHERE merchant = sent_answer.merchant AND method = sent_answer.method AND path = sent_answer.path
        AND key = sent_answer.key;
      IF FOUND THEN
        known_answers := known_answers || to_jsonb(kept);
      END IF;
    END LOOP;
    IF is_taken OR known_receipts <> '[]' OR known_answers <> '[]' THEN
      RETURN jsonb_build_object('receipts', known_receipts, 'answers', known_answers);
    END IF;
    is_patient := true;
    PERFORM set_config('lock_timeout', '8s', true);
  END LOOP;
END $$;
