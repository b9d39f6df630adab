import type { ReactNode } from 'react'
import { tokenAmount } from '../../format/token.ts'
import type { TextKey } from '../../messages/catalogue.ts'
import { text } from '../../messages/messages.ts'
import { HashLink } from '../../parts/hash-link.tsx'
import { When } from '../../parts/when.tsx'
import type { Money } from './receipt.ts'

export function MoneyPayments({ money }: { readonly money: Money }): ReactNode {
  return (
    <section aria-label={text('receipt.money.payments')}>
      <ul className="grid gap-3">
        {money.payments.map((payment) => (
          <li
            key={`${payment.transactionHash} ${payment.blockNumber} ${payment.amountRaw}`}
            className="rounded-xl border border-line p-4"
          >
            <Payment payment={payment} />
          </li>
        ))}
      </ul>
      {money.paymentsOmitted > 0 ? (
        <p className="mt-3 text-dim text-sm">
          {text('receipt.money.omitted', { count: money.paymentsOmitted })}
        </p>
      ) : null}
    </section>
  )
}

function Payment({ payment }: { readonly payment: Money['payments'][number] }): ReactNode {
  const { amountRaw, decimals, token, at, isLate, isReversed, finality, confirmations } = payment
  return (
    <>
      <p className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <strong className="text-lg tabular-nums">{tokenAmount(amountRaw, decimals, token)}</strong>
        <When at={at} className="text-dim text-sm" />
      </p>
      {isReversed ? <p className="mt-1 text-bad">{text('receipt.money.reversed')}</p> : null}
      {isLate ? <p className="mt-1 text-wait">{text('receipt.money.late')}</p> : null}
      <dl className="mt-3 grid gap-x-4 gap-y-2 text-sm sm:grid-cols-[9rem_minmax(0,1fr)]">
        <Way term={text('receipt.money.from')}>
          {payment.payer ? (
            <HashLink kind="address" value={payment.payer} isCopyable />
          ) : (
            text('receipt.money.unknown')
          )}
        </Way>
        {payment.transactionHash ? (
          <Way term={text('receipt.money.transaction')}>
            <HashLink kind="tx" value={payment.transactionHash} isCopyable />
          </Way>
        ) : null}
        <Way term={text('receipt.money.block')}>
          <span className="tabular-nums">
            {text('receipt.money.block-of', { number: String(payment.blockNumber), count: confirmations })}
          </span>{' '}
          <span className={finality === 'final' ? 'text-good' : 'text-wait'}>
            {text(`receipt.finality.${finality}` as TextKey)}
          </span>
        </Way>
        {payment.depositAddress ? (
          <>
            <Way term={text('receipt.money.deposit')}>
              <HashLink kind="address" value={payment.depositAddress} />
            </Way>
            <Way term={text('receipt.money.sweep')}>
              {payment.sweepTransactionHash ? (
                <HashLink kind="tx" value={payment.sweepTransactionHash} />
              ) : (
                <span className="text-dim">{text('receipt.money.not-swept')}</span>
              )}
            </Way>
          </>
        ) : (
          <Way term={text('receipt.money.deposit')}>{text('receipt.money.direct')}</Way>
        )}
      </dl>
    </>
  )
}

function Way({ term, children }: { readonly term: string; readonly children: ReactNode }): ReactNode {
  return (
    <>
      <dt className="text-dim">{term}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </>
  )
}
