import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { systemRandom } from '../../../src/kernel/random.ts'
import { migrate } from '../../../src/platform/database/opening/migrate.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { Secrets } from '../../../src/platform/secrets.ts'
import { restoreDatabase } from '../database/recorded-database.ts'
import { readRecorded } from '../database/recorded-release.ts'
import { makeTestDatabase, type TestDatabase } from '../database/test-database.ts'
import { type ServiceProcess, spawnService } from '../kill/service.ts'
import { findServicePort } from '../programs/service-port.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../programs/temporary-folder.ts'
import { registerSecrets } from './secret-register.ts'

const wrongSettings = 78

export type Settings = Readonly<Record<string, string>>

/** Returns the settings of a service whose RPC endpoint is unreachable. */
export function settingsOf(database: TestDatabase, more: Settings): Settings {
  registerSecrets(more.SLUICE_MASTER_KEY, more.SLUICE_MASTER_KEY_OLD)
  return { DATABASE_URL: database.url, RPC_URLS: 'http://127.0.0.1:9', CHAIN_ID: '31337', ...more }
}

export type EncryptedLocation = {
  readonly folder: TemporaryFolder
  readonly safe: TemporaryFolder
  /**
   * Starts a service that must refuse to start, and returns its output. It must never listen or run a job.
   */
  apiError(database: TestDatabase, more: Settings): Promise<string>
  /** Starts a service, stops it after it is ready, and returns its output. */
  start(database: TestDatabase, more: Settings): Promise<string>
  remove(): Promise<void>
}

export async function makeEncryptedLocation(name: string): Promise<EncryptedLocation> {
  const folder = await makeTemporaryFolder(name)
  const safe = await makeTemporaryFolder(`${name}-safe`, { isSearched: false })
  const spawn = async (database: TestDatabase, more: Settings): Promise<ServiceProcess> => {
    const dataDir = join(folder.path, randomUUID())
    const port = await findServicePort()
    const service = spawnService({ dataDir, port, settings: settingsOf(database, more) })
    service.ready.catch(() => {})
    return service
  }
  return {
    folder,
    safe,
    async apiError(database, more) {
      const service = await spawn(database, more)
      service.ready.then(
        () => service.signal('SIGTERM'),
        () => {},
      )
      const { code } = await service.ended
      const said = service.said()
      expect(code, said).toBe(wrongSettings)
      expect(said).not.toContain('"msg":"ready"')
      for (const key of ['SLUICE_MASTER_KEY', 'SLUICE_MASTER_KEY_OLD'])
        if (more[key]) expect(said).not.toContain(more[key])
      return said
    },
    async start(database, more) {
      const service = await spawn(database, more)
      await service.ready
      service.signal('SIGTERM')
      expect((await service.ended).code).toBe(0)
      return service.said()
    },
    async remove() {
      await folder.remove()
      await safe.remove()
    },
  }
}

export const newKey = () => Buffer.from(systemRandom.bytes(32)).toString('base64url')

export async function masterKeyCheckOf(database: TestDatabase) {
  const text = 'SELECT chain, key_id, previous_key_id FROM master_key_check'
  return database.pool.rows<Record<string, unknown>>({ name: 'test-seal', text })
}

export const idOf = (masterKey: string) => new Secrets(masterKey, systemRandom).keyId

export async function emptyDatabase(): Promise<TestDatabase> {
  const database = await makeTestDatabase({ isEmpty: true })
  onTestFinished(() => database.drop())
  return database
}

/** Restores a recorded release's database, including its encrypted values, until the test ends. */
export async function restoreRelease(version: string) {
  const { access, database: dump } = readRecorded(version)
  const database = await emptyDatabase()
  const log = makeLog('error')
  await migrate({ url: database.url, log, count: access.migrations.length })
  await restoreDatabase(database.url, dump)
  return { database, key: access.keys.masterKey }
}
