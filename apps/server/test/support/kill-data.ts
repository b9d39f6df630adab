import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findFreePort } from '../../src/platform/process.ts'
import { spawnService } from './kill-service.ts'
import { makeTemporaryFolder, type TemporaryFolder } from './temporary-folder.ts'

/** A data directory of one test, with its service not running. */
export type DataCopy = { readonly dataDir: string; remove(): Promise<void> }

/** A data directory as a first start leaves it: migrated, seeded, split deployed, and stopped. */
export type SeededData = { copy(): Promise<DataCopy>; remove(): Promise<void> }

/** Starts the service once and stops it, so that each test of a file can begin with a copy of what it made. */
export async function makeSeededData(): Promise<SeededData> {
  const folder = await makeTemporaryFolder('seeded')
  const original = join(folder.path, 'data')
  const service = spawnService({ dataDir: original, port: await findFreePort() })
  await service.ready
  service.signal('SIGTERM')
  const { code } = await service.ended
  if (code !== 0) throw new Error(`the service that seeded the data ended with ${code}:\n${service.said()}`)
  return {
    copy: () => copyData(original),
    remove: () => folder.remove(),
  }
}

/** An empty place for a data directory. */
export async function makeEmptyData(): Promise<DataCopy> {
  return inFolder(await makeTemporaryFolder('kill'))
}

async function copyData(original: string): Promise<DataCopy> {
  const data = inFolder(await makeTemporaryFolder('kill'))
  await promisify(execFile)('cp', ['-a', original, data.dataDir])
  await forgetPorts(data.dataDir)
  return data
}

function inFolder(folder: TemporaryFolder): DataCopy {
  return { dataDir: join(folder.path, 'data'), remove: () => folder.remove() }
}

/** Copies run side by side: each has to look for ports of its own. */
async function forgetPorts(dataDir: string): Promise<void> {
  await rm(join(dataDir, 'chain', 'port'))
  const accessFile = join(dataDir, 'postgres', 'access.json')
  const { port, ...access } = JSON.parse(await readFile(accessFile, 'utf8')) as Record<string, unknown>
  if (typeof port !== 'number') throw new Error('the database of the original has a port')
  await writeFile(accessFile, JSON.stringify(access))
}
