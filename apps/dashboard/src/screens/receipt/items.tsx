import type { ReactNode } from 'react'
import { money } from '../../format/money.ts'
import { dateTime } from '../../format/time.ts'
import { text } from '../../messages/messages.ts'
import { Card, Fact } from '../../parts/card.tsx'
import type { Receipt } from './receipt.ts'

export function Items({ receipt }: { readonly receipt: Receipt }): ReactNode {
  const { lineItems, currency, total, totalUsd, customerTotalUsd, pricing } = receipt
  const valuation = pricing?.valuation
  return (
    <Card title={text('receipt.items')}>
      <ul>
        {lineItems.map((line, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no id and keep their order
          <li key={i} className="flex justify-between gap-6 border-line py-2.5 not-first:border-t">
            <span className="min-w-0 [overflow-wrap:anywhere]">
              <bdi>{line.label}</bdi>{' '}
              {line.qty !== undefined && line.qty !== 1 ? (
                <span className="text-dim">{text('receipt.quantity', { count: line.qty })}</span>
              ) : null}
            </span>
            <span className="tabular-nums">
              {line.amount === undefined ? money(line.priceUsd) : money(line.amount, currency)}
            </span>
          </li>
        ))}
      </ul>
      <dl className="border-ink border-t-2">
        <Fact term={text('receipt.total')}>
          {total === undefined ? money(totalUsd) : money(total, currency)}
        </Fact>
        {currency === 'USD' ? null : <Fact term={text('receipt.total-usd')}>{money(totalUsd)}</Fact>}
        {customerTotalUsd === totalUsd ? null : (
          <Fact term={text('receipt.customer-total')}>{money(customerTotalUsd)}</Fact>
        )}
        {valuation && valuation.currency !== 'USD' ? (
          <Fact term={text('receipt.rate')}>
            {text('receipt.rate.value', {
              currency: valuation.currency,
              rate: valuation.usdPerUnit,
              provider: valuation.provider,
              time: dateTime(valuation.quotedAt),
            })}
          </Fact>
        ) : null}
        {pricing && total !== undefined && pricing.originalTotal !== total ? (
          <Fact term={text('receipt.original-total')}>{money(pricing.originalTotal, currency)}</Fact>
        ) : null}
      </dl>
    </Card>
  )
}
