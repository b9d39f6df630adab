import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Hex } from 'viem'
import { writePrivateFile } from '../platform/process/private-file.ts'
import type { AnvilClient } from './anvil.ts'

const savedName = 'state.json.gz'
const unpackedName = 'state.json'

const maxTries = 20
const unpack = promisify(gunzip)

/** What a dump of anvil holds, as far as it is judged here. */
type Dump = {
  readonly accounts: Readonly<Record<string, { readonly nonce: number; readonly code: string }>>
  readonly blocks: readonly { readonly transactions: readonly unknown[] }[]
  readonly transactions: readonly { readonly info: { readonly from: string; readonly nonce: number } }[]
}

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
    const dump = Buffer.from(((await request({ method: 'anvil_dumpState' })) as Hex).slice(2), 'hex')
    if (isWhole(JSON.parse((await unpack(dump)).toString()))) {
      await writePrivateFile(join(folder, savedName), dump)
      return
    }
  }
  throw new Error(`a block was mined during each of ${maxTries} dumps`)
}

/** Whether accounts, blocks and transactions of a dump are of one moment: each sender has sent what is there of it. */
export function isWhole({ accounts, blocks, transactions }: Dump): boolean {
  const inBlocks = blocks.reduce((sum, block) => sum + block.transactions.length, 0)
  if (inBlocks !== transactions.length) return false
  const next = new Map<string, number>()
  for (const { info } of transactions) next.set(info.from, Math.max(next.get(info.from) ?? 0, info.nonce + 1))
  const hasSentAll = [...next].every(([sender, nonce]) => accounts[sender]?.nonce === nonce)
  // A contract's nonce counts what it made.
  return (
    hasSentAll &&
    Object.entries(accounts).every(([it, { nonce, code }]) => nonce === 0 || code !== '0x' || next.has(it))
  )
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
  await writePrivateFile(path, await unpack(packed))
  return path
}

/** Takes away what {@link unpackChain} wrote; it is many times the size of what is saved. */
export async function removeUnpackedChain(folder: string): Promise<void> {
  await rm(join(folder, unpackedName), { force: true })
}
