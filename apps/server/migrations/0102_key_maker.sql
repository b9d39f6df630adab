-- Who made a key: a member's wallet, or nobody where it was made at the service's machine.
ALTER TABLE api_key ADD COLUMN made_by text;

UPDATE api_key k SET made_by = (
  SELECT CASE WHEN a.actor LIKE '0x%' THEN a.actor END FROM audit_entry a
  WHERE a.merchant = k.merchant AND a.subject = k.subscription_id
    AND (a.action = 'subscription.created' OR (a.action = 'key.rotated' AND a.details::jsonb ->> 'slot' = k.slot))
  ORDER BY a.sequence DESC LIMIT 1
) WHERE k.revoked_at IS NULL;

CREATE INDEX api_key_by_maker ON api_key (merchant, made_by) WHERE revoked_at IS NULL AND made_by IS NOT NULL;
