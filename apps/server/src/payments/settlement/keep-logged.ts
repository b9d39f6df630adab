import { isDeepStrictEqual } from 'node:util'
import type { Chain, Hex, TransactionReceipt } from '../../chain/chain.ts'
import { ChainUnavailable } from '../../chain/chain-time.ts'
import type { Log } from '../../platform/log.ts'
import { readPaymentLog, readTransferLog, type Transfer } from '../ledger/transfer.ts'

/** Chunk size: a failed request repeats at most this many transaction receipts. */
export const receiptsAtOnce = 300

/**
 * Returns the transfers that transaction receipts confirm, and native transfers.
 *
 * A log query proves nothing, because an endpoint may be wrong. Unconfirmed transfers raise an alert and are
 * dropped: the balance comparison finds real money later. If a transaction receipt is missing, the receipts
 * of the whole block decide, so that an invented transaction delays no payment.
 *
 * @throws {ChainUnavailable} also while the node does not have the receipts.
 */
export async function keepLogged(
  { chain, log }: { readonly chain: Chain; readonly log: Log },
  transfers: readonly Transfer[],
): Promise<readonly Transfer[]> {
  const logged = transfers.filter(({ kind }) => kind !== 'native')
  if (logged.length === 0) return transfers
  const receipts = new Map<Hex, TransactionReceipt>()
  const isPlaced = ({ txHash, block }: Transfer) => receipts.get(txHash)?.blockHash === block.hash
  const blockOf = new Map(logged.map(({ txHash, block }) => [txHash, block.number]))
  const hashes = [...blockOf.keys()]
  for (let at = 0; at < hashes.length; at += receiptsAtOnce) {
    const asked = hashes.slice(at, at + receiptsAtOnce)
    const highest = asked.map((hash) => blockOf.get(hash) ?? 0n).reduce((a, b) => (a > b ? a : b))
    for (const receipt of await chain.findReceipts(asked, highest))
      if (receipt) receipts.set(receipt.hash, receipt)
  }
  const unplaced = logged.filter((transfer) => !isPlaced(transfer))
  for (const [number, hash] of new Map(unplaced.map(({ block }) => [block.number, block.hash]))) {
    const whole = await chain.readReceipts(number)
    if (whole.block.hash !== hash)
      throw new ChainUnavailable('The chain returned logs and receipts from different blocks')
    for (const receipt of whole.receipts) receipts.set(receipt.hash, receipt)
  }
  return transfers.filter((transfer) => {
    if (transfer.kind === 'native' || (isPlaced(transfer) && isIn(receipts, transfer))) return true
    const { txHash, block } = transfer
    log.error(
      { alert: 'log-unproven', transactionHash: txHash, blockNumber: block.number.toString() },
      'an endpoint returned a payment log that is not in its transaction; the payment is ignored',
    )
    return false
  })
}

function isIn(receipts: ReadonlyMap<Hex, TransactionReceipt>, transfer: Transfer): boolean {
  const logs = receipts.get(transfer.txHash)?.logs ?? []
  const found = logs.find(({ logIndex }) => logIndex === transfer.logIndex)
  if (!found) return false
  const read = transfer.kind === 'call' ? readPaymentLog : readTransferLog
  return isDeepStrictEqual(read(found, transfer.block), transfer)
}
