-- Rows of releases that did not keep the factory, until the service has found it by their addresses.
CREATE INDEX split_without_factory ON split (merchant, version) WHERE factory IS NULL;

CREATE INDEX attempt_without_factory ON attempt (merchant, id) WHERE factory IS NULL;
