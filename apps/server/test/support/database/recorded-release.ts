import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { splitFactoryBytecode } from '@sluice/contracts/abi/SplitFactory.ts'
import type { TestSession } from '../api/sessions.ts'
import type { Credential } from '../routes/route-sample.ts'
import type { WholeKeys } from '../service/whole-service.ts'
import type { RecordedMigration } from './recorded-database.ts'

const folder = fileURLToPath(new URL('../../recorded', import.meta.url))
const releasesPath = fileURLToPath(
  new URL('../../../../../contracts/deployments/releases.json', import.meta.url),
)

export type RecordedResponse = {
  readonly as: Credential
  readonly target: string
  readonly status: number
  readonly body: unknown
}

/** The recorded deployment. Its keys are valid for this recording only. */
export type RecordedAccess = {
  readonly version: string
  readonly recordedAt: number
  readonly migrations: readonly RecordedMigration[]
  readonly keys: WholeKeys
  readonly key: string
  readonly owner: TestSession
  readonly operator: TestSession
}

export type RecordedRelease = {
  readonly access: RecordedAccess
  readonly database: string
  readonly responses: readonly RecordedResponse[]
}

export function listRecorded(): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
}

export function readRecorded(version: string): RecordedRelease {
  const read = (name: string) => readFileSync(join(folder, version, name), 'utf8')
  return {
    access: JSON.parse(read('access.jsonl')) as RecordedAccess,
    database: read('database.jsonl'),
    responses: read('responses.jsonl')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as RecordedResponse),
  }
}

export function readRecordedFactory(version: string): `0x${string}` {
  return readInitCode(join(version, 'factory.jsonl'))
}

export function readEarlierFactory(): `0x${string}` {
  return readInitCode('earlier-factory.jsonl')
}

function readInitCode(path: string): `0x${string}` {
  return (JSON.parse(readFileSync(join(folder, path), 'utf8')) as { initCode: `0x${string}` }).initCode
}

/**
 * Writes a recording, replaces an earlier one of the same release, and pins its contracts. Returns its size
 * in bytes.
 */
export function writeRecorded({ access, database, responses }: RecordedRelease): number {
  const files = {
    'access.jsonl': `${JSON.stringify(access)}\n`,
    'database.jsonl': database,
    'responses.jsonl': `${responses.map((response) => JSON.stringify(response)).join('\n')}\n`,
    'factory.jsonl': `${JSON.stringify({ initCode: splitFactoryBytecode })}\n`,
  }
  writeReleaseContracts(access.version)
  mkdirSync(join(folder, access.version), { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, access.version, name), text)
  return Object.values(files).reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}

type Pinned = { readonly address: string; readonly codeHash: string }

export type ReleasedContracts = {
  readonly factory: Pinned
  readonly splitImplementation: Pinned
  readonly depositImplementation: Pinned
  readonly initCodeHash: string
}

/** The content of `contracts/deployments/releases.json`: the current contracts, and those of each release. */
export type Releases<Current extends ReleasedContracts = ReleasedContracts> = {
  readonly current: Current
  readonly earlier: readonly ({ readonly release: string } & ReleasedContracts)[]
}

/**
 * Pins the current contracts as those of `release`. Entries never change, because the contracts may hold
 * money.
 */
export function pinRelease<R extends Releases>(releases: R, release: string): R {
  const { factory, splitImplementation, depositImplementation, initCodeHash } = releases.current
  const isPinned = releases.earlier.some(
    (each) => each.release === release && each.initCodeHash === initCodeHash,
  )
  if (isPinned) return releases
  const entry = { release, factory, splitImplementation, depositImplementation, initCodeHash }
  return { ...releases, earlier: [...releases.earlier, entry] }
}

function writeReleaseContracts(release: string): void {
  const releases = JSON.parse(readFileSync(releasesPath, 'utf8')) as Releases
  writeFileSync(releasesPath, `${JSON.stringify(pinRelease(releases, release), undefined, 2)}\n`)
}
