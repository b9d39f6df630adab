import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findServicePort } from '../programs/service-port.ts'
import { makeTemporaryFolder } from '../programs/temporary-folder.ts'
import { spawnService } from './service.ts'

export type DataCopy = { readonly dataDir: string; remove(): Promise<void> }

export async function seedData(
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const service = spawnService({ dataDir, port: await findServicePort(), settings })
  await service.ready
  service.signal('SIGTERM')
  const { code } = await service.ended
  if (code !== 0) throw new Error(`the service that seeded the data ended with ${code}:\n${service.said()}`)
}

export async function copyData(original: string): Promise<DataCopy> {
  const data = await makeEmptyData()
  await promisify(execFile)('cp', ['-a', original, data.dataDir])
  await rm(join(data.dataDir, 'chain', 'port'))
  const accessFile = join(data.dataDir, 'postgres', 'access.json')
  const { port, ...access } = JSON.parse(await readFile(accessFile, 'utf8')) as Record<string, unknown>
  if (typeof port !== 'number') throw new Error('the database of the original has a port')
  await writeFile(accessFile, JSON.stringify(access))
  return data
}

export async function makeEmptyData(): Promise<DataCopy> {
  const folder = await makeTemporaryFolder('kill')
  return { dataDir: join(folder.path, 'data'), remove: () => folder.remove() }
}
