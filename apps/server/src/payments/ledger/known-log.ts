import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { type PaymentBlock, type PaymentKey, type PaymentKind, textOfKey } from './payment.ts'

export type FoundLog = PaymentKey & {
  readonly merchant: Wallet
  readonly kind: PaymentKind
  /** Reference of a call, deposit address of a transfer, or split of a payment without a reference. */
  readonly source: string
  readonly tokenAddress: Wallet
  readonly amount: bigint
  readonly payer: Wallet | undefined
  readonly block: PaymentBlock
}

export type KnownLog = Omit<FoundLog, 'kind' | 'source'> & {
  readonly kind: PaymentKind | undefined
  readonly source: string | undefined
  readonly receiptId: ReceiptId | undefined
  readonly isLost: boolean
  /** The payment was credited and then orphaned, and no admin has accepted the loss. */
  readonly isReversed: boolean
  /** The case has a decision, which applies in any block. */
  readonly isDecided: boolean
}

export type ReturnedLog<Found extends FoundLog = FoundLog> = {
  readonly was: KnownLog
  readonly found: Found
}

export type Recognised<Found> = {
  readonly fresh: readonly Found[]
  readonly returned: readonly { readonly was: KnownLog; readonly found: Found }[]
  /** Logs that the ledger records under the wrong block, because the transaction is now in another block. */
  readonly stale: readonly KnownLog[]
}

/**
 * Separates new logs from known ones. All logs belong to one merchant.
 *
 * A re-executed transaction emits the same content at other log indexes. A log is therefore identified by
 * transaction, content and position among equal logs. Takes linear time: anyone can send thousands of tiny
 * payments.
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

function namesOfKnown(log: KnownLog): string[] {
  return [saysText(log, log.kind, log.source), ...(log.logIndex < 0 ? [textOfKey(log)] : [])]
}

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

function originText({ txHash, logIndex, address, block }: PaymentKey & { block: PaymentBlock }): string {
  if (txHash === block.hash) return `noticed ${address}`
  return logIndex < 0 ? `coin ${txHash}` : `log ${txHash}`
}
