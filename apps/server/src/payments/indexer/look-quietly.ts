import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import type { ChainHead } from '../../chain/chain.ts'
import type { ScanNeeds } from '../cursors/scan-needs.ts'
import type { Pace } from './pace.ts'
import { readRangeLogs, readTransfers } from './read-transfers.ts'

/** While the watcher is quiet it writes down so often where it stands. */
export const quietMs = 30_000

/** After the last payment the chain is followed closely for so long: what is done with it comes in the next blocks. */
const closelyMs = 30_000

/** As many blocks at once are read by an ordinary step. */
const mostBlocks = 100n

/** Whether nothing has been paid of late, so that the watcher may be quiet where nothing is open either. */
export function isCalm({ clock }: Pick<ScanNeeds, 'clock'>, pace: Pick<Pace, 'newsAt'>): boolean {
  return Math.abs(clock.now() - pace.newsAt) >= closelyMs
}

/**
 * Looks at the blocks since the last look without asking the database anything, and says whether nothing is in them: then
 * the cursor may stay where it is for a while. Where it is not sure, an ordinary step reads them all again.
 */
export async function lookQuietly(needs: ScanNeeds, pace: Pace, head: ChainHead): Promise<boolean> {
  const { chain } = needs
  const { quiet } = pace
  const { latest } = head
  if (!quiet || latest.number < quiet.at.number || latest.number - quiet.at.number > mostBlocks) return false
  if (latest.number === quiet.at.number) return latest.hash === quiet.at.hash
  const { watched } = quiet
  const from = quiet.at.number + 1n
  const hasNative = watched.targets.some(({ tokenAddress }) => tokenAddress === nativeAddress)
  const [blocks, logs] = await Promise.all([
    hasNative ? chain.readBlocks(from, latest.number) : chain.readHeaders(from, latest.number),
    readRangeLogs(chain, { from, to: latest.number }, watched),
  ])
  if (blocks[0]?.parentHash !== quiet.at.hash || blocks.at(-1)?.hash !== latest.hash) return false
  if (logs.own.length > 0 || logs.token.length > 0) return false
  const { transfers, coin, touched } = await readTransfers(chain, blocks, watched, { logs })
  if (!isEmpty(transfers, coin, touched)) return false
  pace.quiet = { at: { number: latest.number, hash: latest.hash }, watched }
  return true
}

function isEmpty(...found: readonly (readonly (object | Wallet)[])[]): boolean {
  return found.every(({ length }) => length === 0)
}
