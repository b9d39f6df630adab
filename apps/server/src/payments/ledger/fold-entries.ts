import type { Payment } from './payment.ts'

/** What a receipt's history says of payments. */
export type PaymentEntry<Kind extends string> = {
  readonly kind: Kind
  readonly detail: Readonly<Record<string, unknown>>
}

/** Of one kind so many are told one by one, at a time. */
const mostAlone = 10

/**
 * Entries for a receipt's history, one for each payment; of many at once the later ones are told in one entry per
 * token, with their number and sum: anybody can send thousands of tiny payments. Pure.
 */
export function foldEntries<Kind extends string>(
  kind: Kind,
  payments: readonly Payment[],
): PaymentEntry<Kind>[] {
  const alone = payments.length > mostAlone ? payments.slice(0, mostAlone) : payments
  const together = Map.groupBy(payments.slice(alone.length), ({ token }) => token.symbol)
  return [
    ...alone.map((payment) => ({ kind, detail: detailOf(payment) })),
    ...[...together.values()].flatMap((those) => {
      const last = those.at(-1)
      const amount = those.reduce((sum, { units }) => sum + units, 0n).toString()
      return last ? [{ kind, detail: { ...detailOf(last), amount, count: those.length } }] : []
    }),
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
