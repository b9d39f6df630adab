import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { accessSync, constants, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Log } from '../../platform/log.ts'

const repository = fileURLToPath(new URL('../../../../../', import.meta.url))
const source = join(repository, 'apps/dashboard')
const sources = [source, ...['protocol', 'browser-wallet'].map((name) => join(repository, 'packages', name))]
const palette = join(repository, 'apps/server/src/pages/styles/palette.css')
const buildLimitMs = 120_000

/**
 * Returns the folder of the web app built from the current sources, and builds it if missing.
 *
 * The folder is named after the hash of the sources, in `dist` or else in the data directory. A child process
 * builds it, so that the service never loads the bundler.
 */
export async function findBuild({ log, dataDir }: { log: Log; dataDir: string }): Promise<string> {
  const hash = hashSources()
  const kept = [join(repository, 'dist'), dataDir].map((folder) => join(folder, 'dashboard', hash))
  const found = kept.find((folder) => existsSync(folder))
  if (found) return found
  const folder = kept.find((each) => isWritable(dirname(dirname(each)))) ?? join(dataDir, 'dashboard', hash)
  mkdirSync(dirname(folder), { recursive: true })
  await runBuild(folder)
  log.info({ folder }, 'the web app was built')
  dropOthers(folder)
  return folder
}

function hashSources(): string {
  const hash = createHash('sha256')
  const isPartOf = (path: string) =>
    !/(^|\/)(node_modules|dist)(\/|$)|\.test\.tsx?$|schema\.d\.ts$/.test(path)
  const names = sources
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(repository, join(entry.parentPath, entry.name)))
    .filter(isPartOf)
    .sort()
  for (const name of names)
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(repository, name)))
      .update('\0')
  return hash.update(readFileSync(palette)).digest('hex').slice(0, 16)
}

async function runBuild(folder: string): Promise<void> {
  const args = [join(source, 'build.ts'), '--out', folder]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { NODE_ENV: 'production' },
    timeout: buildLimitMs,
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk).slice(-4_000)
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`the web app could not be built: ${said}`)
}

/** Deletes earlier builds, but not unfinished builds of other processes. */
function dropOthers(folder: string): void {
  for (const name of readdirSync(dirname(folder)))
    if (/^[0-9a-f]{16}$/.test(name) && join(dirname(folder), name) !== folder)
      rmSync(join(dirname(folder), name), { recursive: true, force: true })
}

function isWritable(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
