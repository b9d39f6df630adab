import type { ChainHead } from '../chain/chain.ts'
import { Refusal } from '../kernel/refusal.ts'
import { StateLog } from '../platform/state-log.ts'
import { nudgeAfterNews } from './apply-range.ts'
import { type Cursor, dropBlocksAbove, listBlocksDown, moveCursor, saveBlocks } from './cursor-store.ts'
import type { FinalityTags } from './finality.ts'
import type { PaymentKey } from './payment.ts'
import { OvertakenError, type ScanNeeds, watcherName } from './scan-needs.ts'
import { dropKeptNewsAbove } from './set-aside-news-store.ts'
import { settleEach } from './settle-each.ts'
import { orphanUnmatched } from './unmatched.ts'
import { type ReceiptRef, takePlacesAbove } from './watch-store.ts'

/** A development chain that lost its blocks may be shorter than anything remembered of it. */
const localChainId = 31337

/**
 * Goes back to the last block that is still part of the chain, marking what stood in the blocks above it.
 * What was moved to other blocks is found again when they are read.
 */
export async function walkBack(needs: ScanNeeds, cursor: Cursor, head: ChainHead): Promise<void> {
  const { db, chain, log } = needs
  const fork = await findFork(needs, cursor, head)
  log.warn(
    { from: cursor.number.toString(), to: fork.number.toString() },
    'blocks that were read are no longer part of the chain; going back',
  )
  const tags: FinalityTags = {
    latest: head.latest.number,
    safe: head.safe.number,
    final: head.final.number,
  }
  const isNews = await db.transaction(async (tx) => {
    if (!(await moveCursor(tx, chain.id, watcherName, cursor, fork, needs.clock.now())))
      throw new OvertakenError()
    await dropBlocksAbove(tx, chain.id, fork.number)
    await dropKeptNewsAbove(tx, chain.id, fork.number)
    const receipts = new Map<string, { ref: ReceiptRef; orphaned: PaymentKey[] }>()
    for (const place of await takePlacesAbove(tx, chain.id, fork.number)) {
      const { merchant, receiptId } = place
      if (receiptId === undefined) {
        await orphanUnmatched(tx, chain.id, merchant, place)
        continue
      }
      const id = `${merchant} ${receiptId}`
      const entry = receipts.get(id) ?? { ref: { merchant, receiptId }, orphaned: [] }
      entry.orphaned.push(place)
      receipts.set(id, entry)
    }
    const context = {
      chain: chain.id,
      tags,
      coveredTo: fork.at,
      policy: needs.policy,
      lateRates: new Map(),
    }
    const news = [...receipts.values()].map(({ ref, orphaned }) => ({ ref, news: { orphaned } }))
    return (await settleEach({ ...needs, tx }, context, { receipts: news, strays: [] })).isNews
  })
  if (isNews) await nudgeAfterNews(db)
}

/** The highest block read that the chain still has. */
async function findFork(needs: ScanNeeds, cursor: Cursor, head: ChainHead): Promise<Cursor> {
  const { db, chain, log, states = new StateLog(log) } = needs
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
  const first = chain.id === localChainId ? await chain.findHeader(0n) : undefined
  if (first) {
    await saveBlocks(db, chain.id, [first], 0n)
    return first
  }
  const fields = { alert: 'chain-replaced', cursor: cursor.number.toString() }
  const message = 'the chain has none of the blocks that were read; is the endpoint on the right chain?'
  states.say('blocks', 'replaced', 'error', fields, message)
  throw new Refusal('chain_unavailable', 'The chain has none of the blocks that were read')
}
