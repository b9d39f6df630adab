import { randomUUID } from 'node:crypto'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { isOnCluster } from '../../support/database/on-cluster.ts'
import { makeTestDatabase } from '../../support/database/test-database.ts'
import { spawnService } from '../../support/kill/service.ts'
import { perFile } from '../../support/per-file.ts'
import { findServicePort } from '../../support/programs/service-port.ts'
import { makeTemporaryFolder } from '../../support/programs/temporary-folder.ts'
import { registerSecrets } from '../../support/secrets/secret-register.ts'

vi.setConfig({ testTimeout: 300_000 })
const password = 'the-wrong-password-of-a-test'

registerSecrets(password)
const folder = perFile(() => makeTemporaryFolder('start-database'))
const database = perFile(makeTestDatabase)

const changed = (change: Partial<URL>) => Object.assign(new URL(database.url), change).href

async function failure(
  databaseUrl: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; words: string }> {
  const service = spawnService({
    dataDir: join(folder.path, randomUUID()),
    port: await findServicePort(),
    settings: {
      DATABASE_URL: databaseUrl,
      RPC_URLS: 'http://127.0.0.1:9',
      CHAIN_ID: '31337',
      SLUICE_MASTER_KEY: 'a master key of this test, long enough',
      ...settings,
    },
  })
  service.ready.then(
    () => service.signal('SIGTERM'),
    () => {},
  )
  const { code } = await service.ended
  const said = service.said()
  expect(said).not.toContain(password)
  expect(said).not.toContain(new URL(database.url).password || password)
  return { code, words: said.slice(said.indexOf('Sluice could not start')) }
}

test('a database that is away is named by DATABASE_URL with host, port and name, and with what to look at', async () => {
  const port = await findServicePort()
  const { code, words } = await failure(`postgres://shop:${password}@127.0.0.1:${port}/books`)
  expect([code, words]).toEqual([1, words])
  expect(words).toContain(`DATABASE_URL (database books at 127.0.0.1:${port}, user shop): nothing listens`)
  expect(words).toContain('Is PostgreSQL running')

  const nowhere = await failure(`postgres://shop:${password}@database.invalid:5432/books`)
  expect(nowhere.words).toMatch(
    /DATABASE_URL \(database books at database\.invalid:5432, user shop\): the host database\.invalid/,
  )
})

// The test run's cluster trusts all connections and does not ask for a password.
test.skipIf(isOnCluster)('a wrong password is called that, and names the user', async () => {
  const { username: user } = new URL(database.url)
  const { code, words } = await failure(changed({ password }))
  expect([code, words]).toEqual([1, expect.stringContaining(`rejects the password of user ${user}`)])
  expect(words).toContain('DATABASE_URL (database test_')
  const none = await failure(changed({ password: '' }))
  expect(none.words).toContain(`requires a password for user ${user}, and the URL has none`)
})

test('a database that is missing is called that, with the command that makes it', async () => {
  const { code, words } = await failure(changed({ pathname: '/not_there' }))
  const advice = expect.stringContaining('has no database not_there. Create it (createdb -O')
  expect([code, words]).toEqual([1, advice])
})

test('a PostgreSQL that is too old is called that, before anything is changed in it', async () => {
  const version = (await database.pool.row<{ version: string }>(about))?.version ?? ''
  const old = await openPostgresProxy(database.url, { [version]: version.replace(/^\d+/, '14') })
  onTestFinished(() => old.close())
  const { code, words } = await failure(old.url)
  const reason = expect.stringMatching(/PostgreSQL 14.* is too old\. Sluice requires 15 or newer/)
  expect([code, words]).toEqual([1, reason])
})

// The tests' database is not durable, so that they run faster.
test.skipIf(isOnCluster)(
  'in production, a PostgreSQL that may forget what it acknowledged is refused',
  async () => {
    const { code, words } = await failure(database.url, inProduction)
    expect([code, words]).toEqual([
      1,
      expect.stringContaining('fsync is off, full_page_writes is off, synchronous_commit is off'),
    ])
  },
)

const inProduction = {
  NODE_ENV: 'production',
  CHAIN_ID: '8453',
  BASE_URL: 'https://pay.example.com',
  JWT_SECRET: 'a secret for the sessions of this test, long enough',
  RATE_LIMIT_SCALE: '1',
}

const about = { name: 'test-version', text: `SELECT current_setting('server_version') AS version` }

/** Starts a proxy to PostgreSQL that replaces words in its responses with words of the same length. */
async function openPostgresProxy(url: string, words: Readonly<Record<string, string>>) {
  const { port, hostname } = new URL(url)
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    client.pipe(upstream)
    upstream.on('data', (bytes) => {
      // Latin-1 preserves all other bytes of the protocol.
      let text = bytes.toString('latin1')
      for (const [said, other] of Object.entries(words)) text = text.replaceAll(said, other)
      client.write(Buffer.from(text, 'latin1'))
    })
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('close', () => other.destroy())
      one.on('error', () => other.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const through = new URL(url)
  through.port = String((server.address() as AddressInfo).port)
  return { url: through.href, close: () => void server.close() }
}
