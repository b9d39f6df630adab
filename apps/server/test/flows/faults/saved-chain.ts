import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from '../../../src/platform/process/process.ts'
import type { DataCopy } from '../../support/kill/data.ts'
import { findPart, killPart } from '../../support/kill/parts.ts'

const patienceMs = 120_000
const savesUnderWay = 8

const savedIn = ({ dataDir }: DataCopy) => join(dataDir, 'chain', 'state.json')

export async function waitUntilSaved(data: DataCopy, transactionHash: string): Promise<void> {
  const isSaved = async () => (await readFile(savedIn(data))).includes(transactionHash)
  if (!(await until(isSaved, patienceMs))) throw new Error(`${transactionHash} was not saved`)
}

/**
 * Collects the saved states of the chain until `last` resolves. The returned function kills anvil and
 * restarts it with the newest state that contains none of the `lost` transactions.
 */
export async function keepSavedChain(
  data: DataCopy,
  last: Promise<unknown>,
): Promise<(lost: readonly string[]) => Promise<void>> {
  const saved = savedIn(data)
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
  if (!(await until(keep, patienceMs))) throw new Error('the chain was kept in vain')
  await last
  return async (lost) => {
    for (const packed of kept.toReversed()) {
      const text = packed.toString()
      if (lost.some((hash) => text.includes(hash))) continue
      // A frozen chain starts no new save, but a save may already be in progress.
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
