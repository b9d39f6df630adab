import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { isSameKey, type PaymentBlock, type PaymentKey, type PaymentKind } from './payment.ts'

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
  /** Somebody decided about its case, and that stands whatever block the money is in. */
  readonly isDecided: boolean
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
 * transaction, by what it says, and by its place among those of its transaction that say the same.
 */
export function recogniseLogs<Found extends FoundLog>(
  known: readonly KnownLog[],
  found: readonly Found[],
): Recognised<Found> {
  const ordered = [...new Map(found.map((log) => [keyText(log), log])).values()].sort(
    (a, b) => a.logIndex - b.logIndex,
  )
  const blocks = new Map(ordered.map(({ txHash, block }) => [txHash, block.hash]))
  const isStale = ({ isLost, txHash, block }: KnownLog) =>
    !isLost && (blocks.get(txHash) ?? block.hash) !== block.hash
  const stale = known.filter(isStale)
  const isOpen = (log: KnownLog) => log.isLost || isStale(log)
  const standing = new Set(known.filter((log) => !isOpen(log)).map(keyText))
  const open = new Set(known.filter(isOpen).sort((a, b) => a.logIndex - b.logIndex))

  const fresh: Found[] = []
  const returned: { was: KnownLog; found: Found }[] = []
  for (const log of ordered) {
    if (standing.has(keyText(log))) continue
    const was = [...open].find((other) => isSameLog(other, log))
    if (was) {
      open.delete(was)
      returned.push({ was, found: log })
    } else {
      fresh.push(log)
    }
  }
  return { fresh, returned, stale }
}

function keyText({ txHash, logIndex, address }: PaymentKey): string {
  return `${txHash}/${logIndex}/${address}`
}

function isSameLog(known: KnownLog, found: FoundLog): boolean {
  if (known.logIndex < 0 && isSameKey(known, found)) return true
  return (
    isSameOrigin(known, found) &&
    (known.kind ?? found.kind) === found.kind &&
    (known.source ?? found.source) === found.source &&
    known.tokenAddress === found.tokenAddress &&
    known.amount === found.amount &&
    known.payer === found.payer
  )
}

/** The same transaction; of coin that has none and is keyed by the block it was noticed in, the same address. */
function isSameOrigin(a: PaymentKey & { block: PaymentBlock }, b: PaymentKey & { block: PaymentBlock }) {
  const [isKeyedByBlock, isOtherToo] = [a.txHash === a.block.hash, b.txHash === b.block.hash]
  if (isKeyedByBlock !== isOtherToo) return false
  return isKeyedByBlock ? a.address === b.address : a.txHash === b.txHash && a.logIndex < 0 === b.logIndex < 0
}
