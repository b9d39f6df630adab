import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { until } from '../../../src/platform/process/process.ts'
import { findPrograms } from '../programs/find-programs.ts'
import type { DataCopy } from './data.ts'

const patienceMs = 120_000
/** So many looks one after another find what is saved unchanged once nobody saves any more. */
const savesUnderWay = 8

/** A program that the service has started beside itself. */
export type Part = 'postgres' | 'anvil'

/** The pid of a part; of PostgreSQL the postmaster's. `undefined` where it does not run. */
export function findPart({ dataDir }: DataCopy, part: Part): number | undefined {
  return findPrograms(dataDir, part)[0]
}

/** kill -9, and waits until there is another one in its place. */
export async function killPart(data: DataCopy, part: Part): Promise<void> {
  const pid = findPart(data, part)
  if (pid === undefined) throw new Error(`there is no ${part} to be killed`)
  process.kill(pid, 'SIGKILL')
  const isBack = () => ![undefined, pid].includes(findPart(data, part))
  if (!(await until(isBack, patienceMs))) throw new Error(`${part} did not come back`)
}

/** Waits until the chain as it was last saved has a transaction. */
export async function waitUntilSaved({ dataDir }: DataCopy, transactionHash: string): Promise<void> {
  const isSaved = async () => {
    const packed = await readFile(join(dataDir, 'chain', 'state.json.gz'))
    return (await promisify(gunzip)(packed)).includes(transactionHash)
  }
  if (!(await until(isSaved, patienceMs))) throw new Error(`${transactionHash} was not saved`)
}

/**
 * Keeps the chain as it is saved, again and again until `last` has come; the answer kills anvil and has it come back as
 * it was saved when it last had none of those transactions.
 */
export async function keepSavedChain(
  data: DataCopy,
  last: Promise<unknown>,
): Promise<(lost: readonly string[]) => Promise<void>> {
  const saved = join(data.dataDir, 'chain', 'state.json.gz')
  const kept: Buffer[] = []
  let isOver = false
  const end = () => {
    isOver = true
  }
  last.then(end, end)
  const keep = async () => {
    const packed = await readFile(saved)
    if (!kept.at(-1)?.equals(packed)) kept.push(packed)
    return isOver
  }
  if (!(await until(keep, patienceMs))) throw new Error('what the chain was kept for did not come')
  await last
  return async (lost) => {
    for (const packed of kept.toReversed()) {
      const text = (await promisify(gunzip)(packed)).toString()
      if (lost.some((hash) => text.includes(hash))) continue
      // Frozen, it is saved no more; a save that had begun may still come after ours.
      process.kill(findPart(data, 'anvil') ?? 0, 'SIGSTOP')
      let unchangedCount = 0
      const isOurs = async () => {
        if ((await readFile(saved)).equals(packed)) return ++unchangedCount > savesUnderWay
        unchangedCount = 0
        await writeFile(`${saved}.kept`, packed)
        await rename(`${saved}.kept`, saved)
        return false
      }
      if (!(await until(isOurs, patienceMs))) throw new Error('the chain is saved though it is frozen')
      return killPart(data, 'anvil')
    }
    throw new Error('the chain was never saved without them')
  }
}
