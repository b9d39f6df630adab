import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { splitFactoryBytecode } from '@sluice/contracts/abi/SplitFactory.ts'
import type { TestSession } from '../api/sessions.ts'
import type { Credential } from '../routes/route-sample.ts'
import type { WholeKeys } from '../service/whole-service.ts'
import { writeReleaseContracts } from './pin-release.ts'
import type { RecordedMigration } from './recorded-database.ts'

const folder = fileURLToPath(new URL('../../recorded', import.meta.url))

/** What an answer was. */
export type RecordedAnswer = {
  readonly as: Credential
  readonly target: string
  readonly status: number
  readonly body: unknown
}

/** The deployment a release was recorded of: play keys that open nothing but this recording. */
export type RecordedAccess = {
  readonly version: string
  readonly recordedAt: number
  readonly migrations: readonly RecordedMigration[]
  readonly keys: WholeKeys
  readonly key: string
  readonly owner: TestSession
  readonly operator: TestSession
}

/** A database of a release, and what its service answered about it. */
export type RecordedRelease = {
  readonly access: RecordedAccess
  /** In the form of `dumpDatabase`. */
  readonly database: string
  readonly answers: readonly RecordedAnswer[]
}

/** The releases that were recorded, oldest first. */
export function listRecorded(): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
}

/** Reads what was recorded of a release. */
export function readRecorded(version: string): RecordedRelease {
  const read = (name: string) => readFileSync(join(folder, version, name), 'utf8')
  return {
    access: JSON.parse(read('access.jsonl')) as RecordedAccess,
    database: read('database.jsonl'),
    answers: read('answers.jsonl')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as RecordedAnswer),
  }
}

/** The creation code of a release's split factory. */
export function readRecordedFactory(version: string): `0x${string}` {
  const text = readFileSync(join(folder, version, 'factory.jsonl'), 'utf8')
  return (JSON.parse(text) as { initCode: `0x${string}` }).initCode
}

/**
 * Writes it in place of what was recorded of the same release before; its size in bytes. The release's contracts go
 * into the list of those that are out with it: what they hold is looked for ever after.
 */
export function writeRecorded({ access, database, answers }: RecordedRelease): number {
  const files = {
    'access.jsonl': `${JSON.stringify(access)}\n`,
    'database.jsonl': database,
    'answers.jsonl': `${answers.map((answer) => JSON.stringify(answer)).join('\n')}\n`,
    'factory.jsonl': `${JSON.stringify({ initCode: splitFactoryBytecode })}\n`,
  }
  writeReleaseContracts(access.version)
  mkdirSync(join(folder, access.version), { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, access.version, name), text)
  return Object.values(files).reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}
