import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { makeApiKey } from '../../../src/access/keys/api-key.ts'
import { systemRandom } from '../../../src/kernel/random.ts'
import { startSharedPostgres, templateName, withDatabase } from '../../support/database/shared-postgres.ts'
import { perFile } from '../../support/per-file.ts'
import { makeTemporaryFolder } from '../../support/programs/temporary-folder.ts'
import { mayHoldSecrets, SecretSearch } from '../../support/secrets/secret-search.ts'

/** Not registered, so that the planted secrets do not fail the run. */
const key = makeApiKey('test', systemRandom)
const privateKey = `0x${randomBytes(32).toString('hex')}`
const token = `${randomBytes(27).toString('base64url')}.${randomBytes(60).toString('base64url')}.${randomBytes(32).toString('base64url')}`

const folder = perFile(() => makeTemporaryFolder('search', { isSearched: false }))

function isFound(secret: string, bytes: Buffer | string): boolean {
  const search = new SecretSearch([makeApiKey('test', systemRandom), secret])
  search.searchBytes(Buffer.from(bytes as string), 'here')
  return search.hits.length > 0
}

describe('a secret is found', () => {
  test('wherever it begins, as it is, in hex and in base64', () => {
    for (const secret of [key, privateKey, token]) {
      const inner = secret === privateKey ? Buffer.from(secret.slice(2), 'hex') : Buffer.from(secret)
      for (let at = 0; at < 40; at++) {
        const around = (bytes: Buffer | string) =>
          Buffer.concat([randomBytes(at), Buffer.from(bytes as string), randomBytes(50)])
        const packed = around(inner).toString('base64')
        const places = {
          plain: around(secret),
          hex: around(inner.toString('hex')),
          upperHex: around(inner.toString('hex').toUpperCase()),
          base64: packed,
          base64url: packed.replaceAll('+', '-').replaceAll('/', '_'),
        }
        for (const [name, place] of Object.entries(places))
          expect(isFound(secret, place), `${secret} in ${name} at ${at}`).toBe(true)
      }
    }
  })

  test('by its key part, its signature or its bytes alone', () => {
    expect(isFound(key, `x${key.slice(8, -6)}y`)).toBe(true)
    expect(isFound(token, token.split('.')[2] ?? '')).toBe(true)
    expect(isFound(privateKey, Buffer.from(privateKey.slice(2), 'hex'))).toBe(true)
  })

  test('on both sides of where a large file is cut, and not where nothing is', () => {
    const large = Buffer.alloc(20 * 1024 * 1024, 'sk_test_')
    const path = join(folder.path, 'large')
    for (const at of [8 * 1024 * 1024 - 30, 8 * 1024 * 1024 - 64 * 1024 - 9, 20 * 1024 * 1024 - 60]) {
      const file = Buffer.from(large)
      file.write(key, at)
      writeFileSync(path, file)
      const search = new SecretSearch([key, token])
      search.searchFile(path)
      expect(search.hits).toEqual([{ place: path, offset: at + 8, begins: `${key.slice(0, 12)}…` }])
      expect(search.byteCount).toBe(file.length)
    }
    writeFileSync(path, large)
    const search = new SecretSearch([key, token])
    search.searchFile(path)
    expect(search.hits).toEqual([])
  })

  test('in every file of a folder but the two that may hold it', () => {
    mkdirSync(join(folder.path, 'inner/more'), { recursive: true })
    for (const name of ['local.json', 'master.key', 'inner/more/service.log'])
      writeFileSync(join(folder.path, name), `{"key":"${key}"}`)
    const search = new SecretSearch([key])
    search.searchFolder(folder.path, mayHoldSecrets)
    expect(search.hits.map(({ place }) => place)).toEqual([join(folder.path, 'inner/more/service.log')])
  })
})

describe('in the files of a PostgreSQL', () => {
  test('one is found in a table, in a long text, and in the WAL of a database that is gone', async () => {
    const postgres = await startSharedPostgres({ isSearched: true })
    const admin = new pg.Client({ connectionString: postgres.url })
    await admin.connect()
    const plant = async (database: string, secret: string) => {
      await admin.query(`CREATE DATABASE ${database} TEMPLATE ${templateName} STRATEGY file_copy`)
      const client = new pg.Client({ connectionString: withDatabase(postgres.url, database) })
      await client.connect()
      await client.query(`INSERT INTO merchant (merchant, name, created_at) VALUES ('0x', $1, 0)`, [secret])
      await client.end()
    }
    const inLongText = makeApiKey('test', systemRandom)
    const gone = makeApiKey('test', systemRandom)
    await plant('kept', key)
    await plant('long', `${'a'.repeat(50_000)}${inLongText}${'a'.repeat(50_000)}`)
    await plant('gone', gone)
    await admin.query('DROP DATABASE gone')
    await admin.end()
    const absent = makeApiKey('test', systemRandom)
    const search = new SecretSearch([key, inLongText, gone, absent])
    await postgres.stop((path) => search.searchFolder(path, mayHoldSecrets))
    const placesOf = (secret: string) =>
      search.hits.filter(({ begins }) => secret.startsWith(begins.slice(0, -1))).map(({ place }) => place)
    for (const secret of [key, inLongText]) {
      expect(placesOf(secret).some((place) => place.includes('/base/'))).toBe(true)
      expect(placesOf(secret).some((place) => place.includes('/pg_wal/'))).toBe(true)
    }
    expect(placesOf(gone).every((place) => place.includes('/pg_wal/'))).toBe(true)
    expect(placesOf(gone).length).toBeGreaterThan(0)
    expect(placesOf(absent)).toEqual([])
  })
})
