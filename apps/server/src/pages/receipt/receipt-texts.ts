import type { ReceiptPayment, ReceiptView } from '../../payments/tracking/receipt-view.ts'
import { explorerUrl, type IconName, type Tone } from '../html/parts.ts'
import type { MessageKey, Translator } from '../messages/translator.ts'

export type TermFact = { readonly term: string; readonly value: string }

export type FactSection = { readonly title: string; readonly facts: TermFact[] }

export function readPayments(view: ReceiptView, t: Translator): FactSection[] {
  const { payments, paymentsOmitted, chain } = view
  const title = paymentsTitle(view, t)
  if (payments.length === 0) return [{ title, facts: [{ term: '', value: t.text('receipt.no-chain') }] }]
  const facts = payments.flatMap((payment): TermFact[] => {
    const { transactionHash: hash, payer, amount, decimals, token } = payment
    const url = hash === null ? undefined : explorerUrl(chain, 'tx', hash)
    return [
      { term: t.text(receivedKey(payment)), value: t.token(amount, decimals, token) },
      { term: t.text('receipt.date'), value: t.timeText(payment.at) },
      { term: t.text('receipt.network'), value: chain.name },
      { term: t.text('receipt.payer'), value: payer ?? t.text('receipt.payer-unknown') },
      ...(hash === null ? [] : [{ term: t.text('receipt.transaction'), value: hash }]),
      ...(url === undefined ? [] : [{ term: t.text('receipt.explorer-url'), value: url }]),
    ]
  })
  const omitted = t.text('receipt.payments-omitted', { count: paymentsOmitted })
  return [{ title, facts: paymentsOmitted > 0 ? [...facts, { term: '', value: omitted }] : facts }]
}

/** Returns the heading of the payments section, which depends on the number of payments. */
export function paymentsTitle({ payments, paymentsOmitted }: ReceiptView, t: Translator): string {
  const count = payments.length + paymentsOmitted
  return count > 1 ? t.text('receipt.payments', { count }) : t.text('receipt.payment')
}

export function receivedKey({ isReversed, isLate }: ReceiptPayment): MessageKey {
  if (isReversed) return 'receipt.received-reversed'
  return isLate ? 'receipt.received-late' : 'receipt.received'
}

export function listRefunds({ refunds }: ReceiptView, t: Translator): FactSection[] {
  if (refunds.length === 0) return []
  const facts = refunds.flatMap(({ kind, usd, transactionHash: hash, state, at }): TermFact[] => [
    { term: '', value: t.text(`receipt.refund.${kind}`, { amount: t.money(usd, 'USD') }) },
    { term: '', value: t.text(`receipt.refund-state.${state}`, { time: t.timeText(at) }) },
    ...(hash === null ? [] : [{ term: t.text('receipt.transaction'), value: hash }]),
  ])
  return [{ title: t.text('receipt.refunds'), facts }]
}

export const looks = {
  paid: { tone: 'good', sign: 'check' },
  reversed: { tone: 'bad', sign: 'alert' },
  'refund-requested': { tone: 'wait', sign: 'back' },
  'partly-refunded': { tone: 'good', sign: 'back' },
  refunded: { tone: 'plain', sign: 'back' },
} as const satisfies Record<string, { tone: Tone; sign: IconName }>

type PaidStatus = keyof typeof looks

export function paidStatus({ standing }: Pick<ReceiptView, 'standing'>): PaidStatus | undefined {
  return standing === 'unpaid' || standing === 'bank-pending' || standing === 'cancelled'
    ? undefined
    : standing
}
