-- Sessions that the provider never opened are deleted once they are old.
CREATE INDEX onramp_place_unopened ON onramp_place (opened_at) WHERE session_id IS NULL;

-- A buyer's address is needed until the provider has had its last word.
UPDATE onramp_session SET client_address = NULL FROM onramp_place
WHERE onramp_place.merchant = onramp_session.merchant AND onramp_place.reference = onramp_session.reference
  AND onramp_place.look_at IS NULL AND onramp_session.state <> 'opening';
