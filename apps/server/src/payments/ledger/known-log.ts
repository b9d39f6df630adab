import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { type PaymentBlock, type PaymentKey, type PaymentKind, textOfKey } from './payment.ts'

/** Money on the chain, with what its log says. */
export type FoundLog = PaymentKey & {
  readonly merchant: Wallet
  readonly kind: PaymentKind
  /** The reference of a call, the deposit address of a transfer, the split that was paid under no reference. */
  readonly source: string
  readonly tokenAddress: Wallet
  readonly amount: bigint
  readonly payer: Wallet | undefined
  readonly block: PaymentBlock
}

/** Money in the books: a payment of a receipt, a case of the inbox, or both. */
export type KnownLog = Omit<FoundLog, 'kind' | 'source'> & {
  /** Absent in old rows, as the source is. */
  readonly kind: PaymentKind | undefined
  readonly source: string | undefined
  /** Whose payment it is; absent where it is a case alone. */
  readonly receiptId: ReceiptId | undefined
  /** Its block is known to be gone. */
  readonly isLost: boolean
  /** It is lost and had counted, and nobody has accepted its loss. */
  readonly isReversed: boolean
  /** Somebody decided about its case, and that stands whatever block the money is in. */
  readonly isDecided: boolean
}

/** Money in the books that stands in another block now than they say. */
export type ReturnedLog<Found extends FoundLog = FoundLog> = {
  /** Under the key it has until it is moved. */
  readonly was: KnownLog
  readonly found: Found
}

/** What found logs are to the books. */
export type Recognised<Found> = {
  /** Not in the books. */
  readonly fresh: readonly Found[]
  /** In the books under another place, or under none. */
  readonly returned: readonly { readonly was: KnownLog; readonly found: Found }[]
  /** In the books as standing in blocks that cannot be: their transactions were found in others. */
  readonly stale: readonly KnownLog[]
}

/**
 * Tells logs that are new from those the books know, all of one merchant. Pure.
 *
 * A transaction that runs again in another block logs the same under other indexes. So a log is known by its
 * transaction, by what it says, and by its place among those of its transaction that say the same. One pass over
 * each list: anybody can send a receipt thousands of tiny payments.
 */
export function recogniseLogs<Found extends FoundLog>(
  known: readonly KnownLog[],
  found: readonly Found[],
): Recognised<Found> {
  const ordered = [...new Map(found.map((log) => [textOfKey(log), log])).values()].sort(
    (a, b) => a.logIndex - b.logIndex,
  )
  const blocks = new Map(ordered.map(({ txHash, block }) => [txHash, block.hash]))
  const isStale = ({ isLost, txHash, block }: KnownLog) =>
    !isLost && (blocks.get(txHash) ?? block.hash) !== block.hash
  const stale = known.filter(isStale)
  const isOpen = (log: KnownLog) => log.isLost || isStale(log)
  const standing = new Set(known.filter((log) => !isOpen(log)).map(textOfKey))
  const takeOpen = queueOpen(known.filter(isOpen).sort((a, b) => a.logIndex - b.logIndex))

  const fresh: Found[] = []
  const returned: { was: KnownLog; found: Found }[] = []
  for (const log of ordered) {
    if (standing.has(textOfKey(log))) continue
    const was = takeOpen(log)
    if (was) returned.push({ was, found: log })
    else fresh.push(log)
  }
  return { fresh, returned, stale }
}

/** Takes out, for each log that is asked for, the first of the open ones that is the same. */
function queueOpen(open: readonly KnownLog[]): (found: FoundLog) => KnownLog | undefined {
  const queues = new Map<string, { readonly places: number[]; next: number }>()
  open.forEach((log, place) => {
    for (const name of namesOfKnown(log)) {
      const queue = queues.get(name)
      if (queue) queue.places.push(place)
      else queues.set(name, { places: [place], next: 0 })
    }
  })
  const taken = new Set<number>()
  const firstOf = (name: string) => {
    const queue = queues.get(name)
    if (!queue) return []
    while (taken.has(queue.places[queue.next] ?? -1)) queue.next++
    return queue.places[queue.next] ?? []
  }
  return (found) => {
    const places = namesOfFound(found).flatMap(firstOf)
    if (places.length === 0) return undefined
    const place = Math.min(...places)
    taken.add(place)
    return open[place]
  }
}

/** Coin is known by its key, too. */
function namesOfKnown(log: KnownLog): string[] {
  return [saysText(log, log.kind, log.source), ...(log.logIndex < 0 ? [textOfKey(log)] : [])]
}

/** What an old row leaves open is any. */
function namesOfFound(log: FoundLog): string[] {
  return [
    textOfKey(log),
    saysText(log, log.kind, log.source),
    saysText(log, undefined, log.source),
    saysText(log, log.kind, undefined),
    saysText(log, undefined, undefined),
  ]
}

function saysText(
  log: Omit<FoundLog, 'kind' | 'source'>,
  kind: PaymentKind | undefined,
  source: string | undefined,
): string {
  const { tokenAddress, amount, payer } = log
  return `${originText(log)} ${tokenAddress} ${amount} ${payer} ${kind} ${source}`
}

/** The same transaction; of coin that has none and is keyed by the block it was noticed in, the same address. */
function originText({ txHash, logIndex, address, block }: PaymentKey & { block: PaymentBlock }): string {
  if (txHash === block.hash) return `noticed ${address}`
  return logIndex < 0 ? `coin ${txHash}` : `log ${txHash}`
}
