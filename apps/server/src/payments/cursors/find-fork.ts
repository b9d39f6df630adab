import { isLocalNetwork } from '@sluice/protocol/networks/list.ts'
import type { ChainHead } from '../../chain/chain.ts'
import { ChainUnavailable } from '../../chain/chain-time.ts'
import { StateLog } from '../../platform/state-log.ts'
import type { ScanNeeds } from './scan-needs.ts'
import { type Cursor, listBlocksDown, saveBlocks } from './store.ts'

/**
 * The highest block read that the chain still has, where it no longer has all of them.
 *
 * @throws {ChainUnavailable} where it has none.
 */
export async function findFork(
  { db, chain, log, states = new StateLog(log) }: ScanNeeds,
  cursor: Cursor,
  head: ChainHead,
): Promise<Cursor> {
  let from = cursor.number < head.latest.number ? cursor.number : head.latest.number
  for (;;) {
    const remembered = await listBlocksDown(db, chain.id, from, 64)
    const [top, bottom] = [remembered[0], remembered.at(-1)]
    if (!top || !bottom) break
    const headers = await chain.readHeaders(bottom.number, top.number)
    const hashes = new Map(headers.map((header) => [header.number, header.hash]))
    const fork = remembered.find((block) => hashes.get(block.number) === block.hash)
    if (fork) return fork
    from = bottom.number - 1n
  }
  // A development chain that lost its blocks may be shorter than anything remembered of it.
  const first = isLocalNetwork(chain.id) ? await chain.findHeader(0n) : undefined
  if (first) {
    await saveBlocks(db, chain.id, [first])
    return first
  }
  const fields = { alert: 'chain-replaced', cursor: cursor.number.toString() }
  const message = 'the chain has none of the blocks that were scanned; is the endpoint on the right chain?'
  states.say('blocks', 'replaced', 'error', fields, message)
  throw new ChainUnavailable('The chain has none of the blocks that were scanned')
}
