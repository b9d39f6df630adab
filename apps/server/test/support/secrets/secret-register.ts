import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type SecretHit, SecretSearch } from './secret-search.ts'

/** Environment variable with the folder where a run's processes register secrets. */
export const secretsFolderName = 'SECRETS_FOLDER_OF_TESTS'

const known = new Set<string>()

/** Registers secrets that no file and no log may contain at the run's end. Does nothing outside of a run. */
export function registerSecrets(...secrets: readonly (string | undefined)[]): void {
  const folder = process.env[secretsFolderName]
  const fresh = secrets.filter((secret) => secret !== undefined && secret !== '' && !known.has(secret))
  if (folder === undefined || fresh.length === 0) return
  for (const secret of fresh) known.add(secret as string)
  const lines = fresh.map((secret) => `${JSON.stringify(secret)}\n`).join('')
  appendFileSync(join(folder, `${process.pid}.secrets`), lines, { mode: 0o600 })
}

/** Registers the secrets in a response of the API: keys, the session's cookie and its CSRF token. */
export function registerSecretsIn(text: string, cookie: string | null | undefined): void {
  const keys = text.match(/sk_(live|test)_[0-9A-Za-z]{49}|inv_[\w-]{43}/g) ?? []
  const csrf = /"csrfToken":"([\w-]{20,})"/.exec(text)?.[1]
  registerSecrets(...keys, csrf, /cb_auth_token=([\w.-]+)/.exec(cookie ?? '')?.[1])
}

export function keepLog(name: string, text: string): void {
  const folder = process.env[secretsFolderName]
  if (folder === undefined || text === '') return
  mkdirSync(join(folder, 'logs'), { recursive: true, mode: 0o700 })
  appendFileSync(join(folder, 'logs', `${process.pid}-${name}.log`), text, { mode: 0o600 })
}

export function keepDump(name: string, text: string): void {
  const folder = process.env[secretsFolderName]
  if (folder === undefined) return
  mkdirSync(join(folder, 'dumps'), { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, 'dumps', `${name}.xml`), text, { mode: 0o600 })
}

/** Returns whether this run also searches data directories and WAL. Only the deep tier searches them. */
export function searchesFiles(): boolean {
  return process.env.TEST_SECRETS_IN === 'files'
}

export function keptLog(name: string): { write(line: string): void } {
  return { write: (line) => keepLog(name, line) }
}

/** Searches a folder before its removal for the secrets of this process, and records the hits. */
export function searchBeforeRemoval(path: string, isExempt: (path: string) => boolean): void {
  const folder = process.env[secretsFolderName]
  if (folder === undefined || known.size === 0 || !searchesFiles()) return
  const search = new SecretSearch(known)
  search.searchFolder(path, isExempt)
  appendFileSync(join(folder, 'searched'), `${search.byteCount}\n`)
  for (const hit of search.hits) appendFileSync(join(folder, 'hits'), `${JSON.stringify(hit)}\n`)
}

export function readSecrets(folder: string): string[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.secrets'))
  return files.flatMap((name) => readLines(join(folder, name)).map((line) => JSON.parse(line) as string))
}

export function readEarlierSearches(folder: string): { hits: SecretHit[]; byteCount: number } {
  const files = readdirSync(folder)
  const lines = (name: string) => (files.includes(name) ? readLines(join(folder, name)) : [])
  return {
    hits: lines('hits').map((line) => JSON.parse(line) as SecretHit),
    byteCount: lines('searched').reduce((sum, line) => sum + Number(line), 0),
  }
}

function readLines(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n').filter(Boolean)
}
