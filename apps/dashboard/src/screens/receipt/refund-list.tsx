import type { ReactNode } from 'react'
import { money } from '../../format/money.ts'
import { text } from '../../messages/messages.ts'
import { Card } from '../../parts/card.tsx'
import { HashLink } from '../../parts/hash-link.tsx'
import { refundState } from '../../parts/refund-state.ts'
import { When } from '../../parts/when.tsx'
import type { Receipt } from './receipt.ts'

export function RefundList({ receipt }: { readonly receipt: Receipt }): ReactNode {
  const { refunds } = receipt
  if (refunds.length === 0) return null
  return (
    <Card title={text('receipt.refunds')}>
      <ul>
        {refunds.map((refund) => {
          const { key, sign, look } = refundState(refund)
          return (
            <li key={refund.id} className="grid gap-1 border-line py-3 not-first:border-t">
              <p className="flex flex-wrap items-baseline justify-between gap-x-4">
                <strong className="tabular-nums">{money(refund.usd)}</strong>
                <span className={look}>
                  <span aria-hidden="true">{sign}</span> {text(key)}
                </span>
              </p>
              {refund.kind === 'price' ? null : (
                <p className="text-dim text-sm">{text(`receipt.refund.of.${refund.kind}`)}</p>
              )}
              {refund.error ? <p className="text-bad text-sm">{refund.error}</p> : null}
              <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-dim text-sm">
                <When at={refund.createdAt} />
                {refund.buyer ? <HashLink kind="address" value={refund.buyer} /> : null}
                {refund.txHash ? <HashLink kind="tx" value={refund.txHash} isCopyable /> : null}
              </p>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}
