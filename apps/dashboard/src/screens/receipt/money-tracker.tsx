import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api, contentOf } from '../../api/client.ts'
import { tokenAmount } from '../../format/token.ts'
import type { TextKey } from '../../messages/catalogue.ts'
import { text } from '../../messages/messages.ts'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/notice.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { When } from '../../parts/when.tsx'
import { MoneyParts } from './money-parts.tsx'
import { MoneyPayments } from './money-payments.tsx'
import type { Money, Receipt } from './receipt.ts'

export function MoneyTracker({ receipt }: { readonly receipt: Receipt }): ReactNode {
  const { receiptId: id } = receipt
  const query = useQuery({
    queryKey: ['receipts', 'one', id, 'money'],
    queryFn: () => contentOf(api.GET('/api/receipts/{id}/money', { params: { path: { id } } })),
  })
  const { data } = query
  if (data === undefined) {
    return query.isPending ? (
      <Skeleton rows={3} />
    ) : (
      <ErrorNotice error={query.error} retry={() => void query.refetch()} />
    )
  }
  if (data.steps.length === 0) {
    return (
      <Card title={text('receipt.money')}>
        <p className="text-dim">{text(absence(receipt))}</p>
      </Card>
    )
  }
  return (
    <Card title={text('receipt.money')} note={text('receipt.money.note')}>
      <Steps steps={data.steps} />
      <Difference receipt={receipt} money={data} />
      <MoneyPayments money={data} />
      <MoneyParts parts={data.parts} />
    </Card>
  )
}

/** Returns why the chain shows no payment. A provider may have accepted money but not delivered it yet. */
function absence({ status, payment, cancelledAt }: Receipt): TextKey {
  if (status === 'paid - ach pending') return 'receipt.money.bank'
  if (payment.provenBy === 'provider') return 'receipt.money.provider'
  if (cancelledAt !== null) return 'receipt.money.cancelled'
  return payment.state === 'awaiting' ? 'receipt.money.awaiting' : 'receipt.money.none'
}

const looks = {
  done: ['✓', 'bg-good-soft text-good'],
  now: ['◔', 'bg-wait-soft text-wait'],
  waiting: ['○', 'bg-soft text-dim'],
  stopped: ['!', 'bg-bad-soft text-bad'],
} as const

function Steps({ steps }: Pick<Money, 'steps'>): ReactNode {
  return (
    <ol className="mb-5 grid grid-cols-2 gap-3 sm:grid-cols-4 xl:grid-cols-2 2xl:grid-cols-4">
      {steps.map(({ step, state, at }) => {
        const [sign, look] = looks[state]
        return (
          <li
            key={step}
            aria-current={state === 'now' ? 'step' : undefined}
            className={`grid content-start gap-0.5 rounded-xl p-3 ${look}`}
          >
            <span className="font-semibold">
              <span aria-hidden="true">{sign}</span> {text(`receipt.step.${step}` as TextKey)}
            </span>
            <span className="text-sm">
              {at === null ? text(`receipt.step.state.${state}` as TextKey) : <When at={at} />}
            </span>
          </li>
        )
      })}
    </ol>
  )
}

function Difference({ receipt, money }: { readonly receipt: Receipt; readonly money: Money }): ReactNode {
  const { payment } = receipt
  const decimals = money.payments.find(({ token }) => token === payment.token)?.decimals
  if (decimals === undefined || payment.token === null) return null
  const amount = (units: string) => tokenAmount(units, decimals, payment.token ?? '')
  const missingKey = receipt.cancelledAt === null ? 'receipt.money.missing' : 'receipt.money.part-paid'
  const lines = [
    payment.missing > 0 ? text(missingKey, { amount: amount(payment.missingRaw) }) : undefined,
    payment.excess > 0 ? text('receipt.money.excess', { amount: amount(payment.excessRaw) }) : undefined,
  ].filter((line) => line !== undefined)
  return lines.map((line) => (
    <p key={line} className="mb-4 rounded-xl bg-wait-soft p-3 text-wait">
      {line}
    </p>
  ))
}
