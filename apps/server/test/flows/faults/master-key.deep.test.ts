import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { listRecorded } from '../../support/database/recorded-release.ts'
import type { TestDatabase } from '../../support/database/test-database.ts'
import { perFile } from '../../support/per-file.ts'
import {
  emptyDatabase,
  idOf,
  makeEncryptedLocation,
  masterKeyCheckOf,
  newKey,
  restoreRelease,
  type Settings,
} from '../../support/secrets/encrypted-service.ts'
import { registerSecrets } from '../../support/secrets/secret-register.ts'

const place = perFile(() => makeEncryptedLocation('master-key'))
const apiError = (database: TestDatabase, more: Settings) => place.apiError(database, more)
const start = (database: TestDatabase, more: Settings) => place.start(database, more)

describe('a new database', () => {
  test('belongs from its first start on to one master key and one chain, and others are told what to do', async () => {
    const database = await emptyDatabase()
    const [key, other] = [newKey(), newKey()]
    await start(database, { SLUICE_MASTER_KEY: key })
    expect(await masterKeyCheckOf(database)).toEqual([
      { chain: 31337n, key_id: idOf(key), previous_key_id: null },
    ])

    const said = await apiError(database, { SLUICE_MASTER_KEY: other })
    expect(said).toContain('SLUICE_MASTER_KEY is not the key that this database was encrypted with')
    expect(said).toContain('set the one that the service ran with')
    expect(said).toContain(idOf(key))

    const elsewhere = await apiError(database, { SLUICE_MASTER_KEY: key, CHAIN_ID: '84532' })
    expect(elsewhere).toContain('CHAIN_ID is 84532, but this database belongs to chain 31337')

    expect(await masterKeyCheckOf(database)).toEqual([
      { chain: 31337n, key_id: idOf(key), previous_key_id: null },
    ])
    await start(database, { SLUICE_MASTER_KEY: key })
  })
})

test('a service whose secrets lie in files starts by them, and says nothing of what they hold', async () => {
  const database = await emptyDatabase()
  const key = newKey()
  registerSecrets(key)
  const file = (name: string, text: string) => {
    const path = join(place.safe.path, name)
    writeFileSync(path, `${text}\n`, { mode: 0o600 })
    return path
  }
  const settings = {
    DATABASE_URL: '',
    DATABASE_URL_FILE: file('database_url', database.url),
    RPC_URLS: '',
    RPC_URLS_FILE: file('rpc_urls', 'http://127.0.0.1:9'),
    SLUICE_MASTER_KEY_FILE: file('master_key', key),
  }
  const said = await start(database, settings)
  expect(await masterKeyCheckOf(database)).toMatchObject([{ chain: 31337n, key_id: idOf(key) }])
  const both = await apiError(database, { ...settings, SLUICE_MASTER_KEY: newKey() })
  expect(both).toContain('SLUICE_MASTER_KEY_FILE and SLUICE_MASTER_KEY are both set')
  for (const text of [said, both]) expect(text).not.toContain(key)
})

describe.each(listRecorded())('a database of release %s', (version) => {
  test('gets its seal at the first start, from the key that opens what is encrypted in it and on its own chain alone', async () => {
    const { database, key } = await restoreRelease(version)
    const said = await apiError(database, { SLUICE_MASTER_KEY: newKey() })
    expect(said).toMatch(/not the key .*it decrypts 0 of the newest \d+ API keys/)
    const elsewhere = await apiError(database, { SLUICE_MASTER_KEY: key, CHAIN_ID: '84532' })
    expect(elsewhere).toContain('this database belongs to chain 31337')
    expect(await masterKeyCheckOf(database)).toEqual([])
    await start(database, { SLUICE_MASTER_KEY: key })
    expect(await masterKeyCheckOf(database)).toEqual([
      { chain: 31337n, key_id: idOf(key), previous_key_id: null },
    ])
  })
})
