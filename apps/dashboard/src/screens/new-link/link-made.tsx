import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { api, contentOf } from '../../api/client.ts'
import { money } from '../../format/money.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { PaymentQr } from '../../parts/payment-qr.tsx'

export type MadeLink = { readonly id: string; readonly paymentUrl: string }

export function LinkMade({ made, onAnother }: { readonly made: MadeLink; onAnother(): void }): ReactNode {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => box.current?.focus(), [])
  const receipt = useQuery({
    queryKey: ['receipts', 'one', made.id],
    queryFn: () => contentOf(api.GET('/api/receipts/{id}', { params: { path: { id: made.id } } })),
  })
  const { total, totalUsd = 0, currency, customerTotalUsd = totalUsd } = receipt.data ?? {}
  return (
    <div
      ref={box}
      tabIndex={-1}
      className="grid items-center gap-8 rounded-2xl border border-line bg-card p-6 outline-none md:grid-cols-[17rem_minmax(0,1fr)] md:p-8"
    >
      <PaymentQr paymentUrl={made.paymentUrl} />
      <div className="grid min-w-0 gap-5">
        <div className="grid min-h-16 gap-1">
          {receipt.data ? (
            <>
              <p className="font-bold text-3xl tabular-nums">
                {total === undefined ? money(totalUsd) : money(total, currency)}
              </p>
              {customerTotalUsd === totalUsd && currency !== 'EUR' ? null : (
                <p className="text-dim">
                  {text('new-link.made.customer', { amount: money(customerTotalUsd) })}
                </p>
              )}
            </>
          ) : null}
        </div>
        <p className="rounded-xl bg-soft p-3 font-mono text-sm [overflow-wrap:anywhere]">{made.paymentUrl}</p>
        <div className="flex flex-wrap items-center gap-3">
          <CopyButton isMain value={made.paymentUrl} label={text('new-link.made.copy')} />
          <a
            href={made.paymentUrl}
            target="_blank"
            rel="noopener noreferrer"
            className="inline-flex min-h-11 items-center rounded-xl border border-line px-4 py-2 font-semibold hover:bg-soft"
          >
            {text('new-link.made.open')}
          </a>
        </div>
        <div className="flex flex-wrap items-center gap-x-6 gap-y-3 border-line border-t pt-5">
          <Link
            to="/receipts/$receiptId"
            params={{ receiptId: made.id }}
            className="py-1 text-accent underline underline-offset-4"
          >
            {text('new-link.made.receipt')}
          </Link>
          <Button onClick={onAnother}>{text('new-link.made.another')}</Button>
        </div>
      </div>
    </div>
  )
}
