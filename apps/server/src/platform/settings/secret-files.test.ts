import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from './config.ts'
import { secretSettings } from './settings.ts'

function errorsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.errors
    throw error
  }
  return []
}

const production = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://sluice@db/sluice',
  RPC_URLS: 'https://rpc.example',
  BASE_URL: 'https://pay.example',
  SLUICE_MASTER_KEY: 'k'.repeat(32),
  JWT_SECRET: 'j'.repeat(32),
}

describe('a secret in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-secret-files-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const file = (text: string) => {
    const path = join(folder, randomUUID())
    writeFileSync(path, text)
    return path
  }
  const key = `0x${'ab'.repeat(32)}`

  test('counts as the setting, without the line break at its end', () => {
    const { SLUICE_MASTER_KEY, JWT_SECRET, DATABASE_URL, RPC_URLS, ...rest } = production
    const config = readConfig({
      ...rest,
      SLUICE_MASTER_KEY_FILE: file(`${SLUICE_MASTER_KEY}\n`),
      JWT_SECRET_FILE: file(`${JWT_SECRET}\r\n`),
      DATABASE_URL_FILE: file(`${DATABASE_URL}\n`),
      RPC_URLS_FILE: file(`${RPC_URLS},https://two.example\n`),
      EDGE_SECRET_FILE: file(`${'e'.repeat(32)}\n`),
      METRICS_TOKEN_FILE: file('m'.repeat(32)),
      DEPLOYER_KEY_FILE: file(`${key}\n`),
      KEEPER_KEY_FILE: file(key),
      SLUICE_MASTER_KEY_OLD_FILE: file('o'.repeat(32)),
      JWT_SECRET_OLD_FILE: file('q'.repeat(32)),
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
      OTEL_EXPORTER_OTLP_HEADERS_FILE: file('authorization=Bearer a\n'),
    })
    expect(config).toMatchObject({
      masterKey: SLUICE_MASTER_KEY,
      jwtSecret: JWT_SECRET,
      databaseUrl: DATABASE_URL,
      rpcUrls: [RPC_URLS, 'https://two.example'],
      edgeSecret: 'e'.repeat(32),
      metricsToken: 'm'.repeat(32),
      deployerKey: key,
      keeperKey: key,
      oldMasterKey: 'o'.repeat(32),
      oldJwtSecret: 'q'.repeat(32),
    })
    expect(config.tracing?.headers).toEqual({ authorization: 'Bearer a' })
  })

  test.each(secretSettings)('%s and its file cannot both be set', (name) => {
    const errors = errorsOf({ [name]: 'hunter2', [`${name}_FILE`]: file('hunter3') })
    expect(errors).toContain(`${name}_FILE and ${name} are both set: remove one of them`)
    expect(errors.join('\n')).not.toMatch(/hunter/)
  })

  test('that cannot be read, is empty or is too large is told by its setting, and never what it holds', () => {
    const reported = (path: string) => errorsOf({ EDGE_SECRET_FILE: path })
    expect(reported(join(folder, 'missing'))).toEqual(['EDGE_SECRET_FILE names a file that does not exist'])
    expect(reported(folder)).toEqual(['EDGE_SECRET_FILE does not name a file'])
    expect(reported('/dev/zero')).toEqual(['EDGE_SECRET_FILE does not name a file'])
    expect(reported(file('\n'))).toEqual(['EDGE_SECRET_FILE names an empty file'])
    expect(reported(file('x'.repeat(70_000)))).toEqual(['EDGE_SECRET_FILE names a file larger than 64 KiB'])
    expect(reported(file('hunter2'))).toEqual(['EDGE_SECRET must have at least 32 characters'])
  })

  test('that is not named, as in a copy of .env.example, is none', () => {
    const empty = Object.fromEntries(secretSettings.map((name) => [`${name}_FILE`, '']))
    expect(readConfig({ ...production, ...empty })).toEqual(readConfig(production))
  })
})
