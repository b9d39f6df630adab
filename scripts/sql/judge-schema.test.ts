import { expect, test } from 'vitest'
import { globalTables } from '../../apps/server/src/platform/cluster/global-tables.ts'
import { judgeSchema, tenantTables } from './judge-schema.ts'

/** The rules a migration breaks; the global tables are there, so that none counts as stale. */
function rulesOf(text: string): string[] {
  const globals = [...globalTables].map((name) => `CREATE TABLE ${name} (id text PRIMARY KEY);`).join('\n')
  return judgeSchema([
    { path: 'migrations/0001_globals.sql', text: globals },
    { path: 'migrations/0002_test.sql', text },
  ]).map(({ rule }) => rule)
}

const table = (inside: string) => `CREATE TABLE thing (\n  ${inside}\n);`

test.each([
  table('merchant text NOT NULL, id text NOT NULL, PRIMARY KEY (merchant, id)'),
  table('merchant text PRIMARY KEY, name text NOT NULL'),
  table(
    "merchant text NOT NULL, id text CHECK (id IN ('a', 'b')), n numeric(78, 0), PRIMARY KEY (merchant, id), UNIQUE (merchant, n)",
  ),
  'ALTER TABLE thing ADD FOREIGN KEY (merchant, other) REFERENCES other (merchant, id);',
  'CREATE UNIQUE INDEX thing_hash ON thing (merchant, hash);',
  'CREATE INDEX thing_due ON thing (lane, due) WHERE done = false;',
  `${table('merchant text, id text, PRIMARY KEY (merchant, id)')}
CREATE FUNCTION f(merchant text, id text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO thing (merchant, id) VALUES (merchant, id);
  PERFORM id FROM thing WHERE merchant = f.merchant;
END $$;
CREATE INDEX thing_due ON thing (lane);`,
  '-- a TRIGGER in a comment, now()\nCREATE INDEX thing_due ON thing (lane);',
])('this is as it should be: %s', (text) => expect(rulesOf(text)).toEqual([]))

test.each([
  ['tenant', table('id text PRIMARY KEY')],
  ['primary-key', table('merchant text NOT NULL, id text PRIMARY KEY')],
  ['primary-key', table('merchant text NOT NULL, id text, PRIMARY KEY (id, merchant)')],
  ['primary-key', table('merchant text NOT NULL, id text')],
  ['unique', table('merchant text, id text, hash text UNIQUE, PRIMARY KEY (merchant, id)')],
  ['unique', table('merchant text, id text, hash text, PRIMARY KEY (merchant, id), UNIQUE (hash)')],
  ['unique', 'CREATE UNIQUE INDEX thing_hash ON thing (hash);'],
  ['foreign-key', 'ALTER TABLE thing ADD FOREIGN KEY (other) REFERENCES other (id);'],
  ['foreign-key', 'ALTER TABLE thing ADD FOREIGN KEY (merchant, other) REFERENCES other (id, merchant);'],
  [
    'foreign-key-inside',
    table(
      'merchant text, id text, PRIMARY KEY (merchant, id), FOREIGN KEY (merchant, id) REFERENCES o (merchant, id)',
    ),
  ],
  ['column-constraint', "ALTER TABLE thing ADD COLUMN state text CHECK (state IN ('a', 'b'));"],
  ['int', table('merchant text, id text, n int, PRIMARY KEY (merchant, id)')],
  ['serial', table('merchant text, id bigserial, PRIMARY KEY (merchant, id)')],
  ['impure', table('merchant text, id text DEFAULT gen_random_uuid(), PRIMARY KEY (merchant, id)')],
  ['impure', table('merchant text, at timestamptz DEFAULT now(), PRIMARY KEY (merchant, at)')],
  ['trigger', 'CREATE TRIGGER t AFTER INSERT ON thing EXECUTE FUNCTION f();'],
  [
    'deferrable',
    'ALTER TABLE thing ADD FOREIGN KEY (merchant, o) REFERENCES o (merchant, id) DEFERRABLE INITIALLY DEFERRED;',
  ],
  [
    'set-null',
    'ALTER TABLE thing ADD FOREIGN KEY (merchant, o) REFERENCES o (merchant, id) ON DELETE SET NULL;',
  ],
  [
    'function',
    `${table('merchant text, id text, PRIMARY KEY (merchant, id)')}
CREATE FUNCTION f(id text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM thing WHERE thing.id = f.id;
END $$;`,
  ],
])('%s is refused: %s', (rule, text) => expect(rulesOf(text)).toContain(rule))

test('a global table that no migration makes is stale', () => {
  const faults = judgeSchema([{ path: 'migrations/0001.sql', text: 'CREATE INDEX a ON b (c);' }])
  expect(faults.map(({ rule }) => rule)).toEqual([...globalTables].map(() => 'stale'))
})

test('a fault names the line its statement begins on', () => {
  const text = '-- a comment\n\nCREATE INDEX a ON b (c);\n\nCREATE TABLE thing (\n  id text\n);\n'
  const fault = judgeSchema([{ path: 'm.sql', text }]).find(({ rule }) => rule === 'tenant')
  expect(fault?.line).toBe(5)
})

test('tenant tables are all but the global ones', () => {
  const text = 'CREATE TABLE lease (name text PRIMARY KEY);\nCREATE TABLE thing (merchant text PRIMARY KEY);'
  expect(tenantTables([{ path: 'm.sql', text }])).toEqual(['thing'])
})
