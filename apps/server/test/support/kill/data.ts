import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findServicePort } from '../programs/service-port.ts'
import { makeTemporaryFolder } from '../programs/temporary-folder.ts'
import { spawnService } from './service.ts'

/** A data directory of one test, with its service not running. */
export type DataCopy = { readonly dataDir: string; remove(): Promise<void> }

/** Fills a data directory as a first start does: migrated, seeded, split deployed; and stops the service. */
export async function seedData(dataDir: string): Promise<void> {
  const service = spawnService({ dataDir, port: await findServicePort() })
  await service.ready
  service.signal('SIGTERM')
  const { code } = await service.ended
  if (code !== 0) throw new Error(`the service that seeded the data ended with ${code}:\n${service.said()}`)
}

/** A copy of seeded data, to go on from. */
export async function copyData(original: string): Promise<DataCopy> {
  const data = await makeEmptyData()
  await promisify(execFile)('cp', ['-a', original, data.dataDir])
  await forgetPorts(data.dataDir)
  return data
}

/** An empty place for a data directory. */
export async function makeEmptyData(): Promise<DataCopy> {
  const folder = await makeTemporaryFolder('kill')
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
