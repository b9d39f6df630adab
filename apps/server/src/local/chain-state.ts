import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Hex } from 'viem'
import { writePrivateFile } from '../platform/process/private-file.ts'
import { until } from '../platform/process/process.ts'
import type { AnvilClient } from './anvil.ts'

const savedName = 'state.json.gz'
const unpackedName = 'state.json'

/** Longer than anvil takes from the first change that a block makes to the moment the block is seen. */
const miningMs = 20
const maxTries = 20

/**
 * Saves the whole chain, blocks included; a crash meanwhile leaves the state saved before.
 *
 * Anvil does not hold still for a dump: one taken while a block is mined has the accounts of one moment and
 * the blocks of another, and a chain loaded from it has paid what no block of it tells of. Such a dump is
 * thrown away and taken again.
 */
export async function saveChain(client: AnvilClient, folder: string): Promise<void> {
  const request = client.request as (call: object) => Promise<unknown>
  for (let tries = 1; tries <= maxTries; tries++) {
    const head = await client.getBlockNumber({ cacheTime: 0 })
    const dump = (await request({ method: 'anvil_dumpState' })) as Hex
    if (await until(async () => (await client.getBlockNumber({ cacheTime: 0 })) !== head, miningMs)) continue
    return writePrivateFile(join(folder, savedName), Buffer.from(dump.slice(2), 'hex'))
  }
  throw new Error(`a block was mined during each of ${maxTries} dumps`)
}

/**
 * The saved chain as a file that anvil loads at its start, or `undefined` where none was saved. Loading at the
 * start means that nobody ever sees this chain empty.
 */
export async function unpackChain(folder: string): Promise<string | undefined> {
  const packed = await readFile(join(folder, savedName)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  if (!packed) return undefined
  const path = join(folder, unpackedName)
  await writePrivateFile(path, await promisify(gunzip)(packed))
  return path
}

/** Takes away what {@link unpackChain} wrote; it is many times the size of what is saved. */
export async function removeUnpackedChain(folder: string): Promise<void> {
  await rm(join(folder, unpackedName), { force: true })
}
