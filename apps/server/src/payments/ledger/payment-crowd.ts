import type { Payment } from './payment.ts'

/** Payments of which the first are told apart, and all others summed: anybody can send thousands of tiny ones. */
export type PaymentCrowd = {
  readonly first: readonly Payment[]
  /** The others, by their token. */
  readonly more: readonly PaymentGroup[]
  readonly last: Payment | undefined
}

/** Payments in one token. */
export type PaymentGroup = { readonly last: Payment; readonly units: bigint; readonly count: number }

/** So many of a crowd are told apart. */
export const mostApart = 10

/** Payments, in their order, as a crowd. */
export function crowdOf(payments: readonly Payment[]): PaymentCrowd {
  const first = payments.slice(0, mostApart)
  const byToken = Map.groupBy(payments.slice(mostApart), ({ token }) => token.symbol)
  const more = [...byToken.values()].flatMap((those) => {
    const last = those.at(-1)
    const units = those.reduce((sum, payment) => sum + payment.units, 0n)
    return last ? [{ last, units, count: those.length }] : []
  })
  return { first, more, last: payments.at(-1) }
}

/** How many they are. */
export function countCrowd({ first, more }: PaymentCrowd): number {
  return more.reduce((sum, { count }) => sum + count, first.length)
}

/** What a receipt's history says of payments. */
export type PaymentEntry<Kind extends string> = {
  readonly kind: Kind
  readonly detail: Readonly<Record<string, unknown>>
}

/**
 * Entries for a receipt's history, one for each payment that is told apart, and one per token for the others, with their
 * number and sum. Pure.
 */
export function foldEntries<Kind extends string>(
  kind: Kind,
  { first, more }: PaymentCrowd,
): PaymentEntry<Kind>[] {
  return [
    ...first.map((payment) => ({ kind, detail: detailOf(payment) })),
    ...more.map(({ last, units, count }) => ({
      kind,
      detail: { ...detailOf(last), amount: units.toString(), count },
    })),
  ]
}

function detailOf(payment: Payment) {
  return {
    transactionHash: payment.txHash,
    token: payment.token.symbol,
    amount: payment.units.toString(),
    blockNumber: payment.block.number.toString(),
    blockHash: payment.block.hash,
    isLate: payment.isLate,
  }
}
