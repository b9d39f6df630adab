import { readFileSync } from 'node:fs'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { isOnCluster } from '../../../test/support/database/on-cluster.ts'
import { makeTestDatabase } from '../../../test/support/database/test-database.ts'
import { perFile } from '../../../test/support/per-file.ts'
import { migrate, splitStatements } from '../database/opening/migrate.ts'
import { makeLog } from '../log.ts'
import { distribute, isDistributed } from './distribute.ts'
import { distributeDatabase, placeNewTables } from './distribute-database.ts'
import { ClusterUnfit } from './validate-cluster.ts'

const database = perFile(makeTestDatabase)
const log = makeLog('silent')

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

test.skipIf(isOnCluster)(
  'a database without Citus is refused, with what is to be done, and stays as it is',
  async () => {
    const refused = distributeDatabase({ url: database.url, log })
    await expect(refused).rejects.toThrow(ClusterUnfit)
    await expect(refused).rejects.toThrow('CREATE EXTENSION citus')
    expect(await isDistributed(await connect())).toBe(false)
    await migrate({ url: database.url, log })
  },
)

test.skipIf(!isOnCluster)(
  'on a cluster every table but two is placed, and once more changes nothing',
  async () => {
    const client = await connect()
    expect(await isDistributed(client)).toBe(true)
    const again = await distribute(client)
    expect(again).toMatchObject({ spread: [], managed: [] })
    const { rows } = await client.query(`SELECT relname FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname NOT SIMILAR TO '%_[0-9]{6}'
      AND oid NOT IN (SELECT logicalrelid FROM pg_dist_partition) ORDER BY 1`)
    expect(rows.map(({ relname }) => relname)).toEqual(['lease', 'migration'])
  },
)

test.skipIf(!isOnCluster)(
  'on a cluster a table that a release adds is placed by the start of its service',
  async () => {
    const client = await connect()
    await client.query('DROP TABLE rate_bucket')
    const access = readFileSync(new URL('../../../migrations/0004_access.sql', import.meta.url), 'utf8')
    for (const text of splitStatements(access).filter((each) => each.includes('rate_bucket')))
      await client.query(text)
    await placeNewTables({ url: database.url, log })
    const { rows } = await client.query(
      "SELECT count(*)::int4 AS count FROM pg_dist_partition WHERE logicalrelid = 'rate_bucket'::regclass",
    )
    expect(rows).toEqual([{ count: 1 }])
  },
)

test.skipIf(!isOnCluster)(
  'on a cluster a start leaves tables alone that no migration makes, and names them in the log',
  async () => {
    const client = await connect()
    await client.query('CREATE TABLE backup_of_receipts (id int8)')
    const lines: { tables?: string[] }[] = []
    const reported = makeLog('info', { write: (line) => void lines.push(JSON.parse(line)) })
    await placeNewTables({ url: database.url, log: reported })
    expect(lines.map(({ tables }) => tables)).toEqual([['backup_of_receipts']])
    expect(await distribute(client)).toMatchObject({
      spread: [],
      managed: [],
      foreign: ['backup_of_receipts'],
    })
    await client.query('DROP TABLE backup_of_receipts')
  },
)

test.skipIf(!isOnCluster)(
  'on a cluster a start that has nothing to place waits for no one, and needs no worker',
  async () => {
    const [client, atWork] = [await connect(), await connect()]
    await atWork.query('BEGIN')
    await atWork.query('SELECT count(*) FROM merchant')
    // Changes this database only. No worker listens on these ports.
    await client.query('UPDATE pg_dist_node SET nodeport = groupid WHERE groupid <> 0')
    await expect(client.query('SELECT count(*) FROM merchant')).rejects.toThrow(
      'connection to the remote node',
    )
    await placeNewTables({ url: database.url, log })
    await atWork.query('ROLLBACK')
  },
)
