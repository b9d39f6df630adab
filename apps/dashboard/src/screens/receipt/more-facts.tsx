import type { ReactNode } from 'react'
import { money } from '../../format/money.ts'
import { dateTime } from '../../format/time.ts'
import { text } from '../../messages/messages.ts'
import { Card, Fact } from '../../parts/card.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import type { Receipt } from './receipt.ts'

export function MoreFacts({ receipt }: { readonly receipt: Receipt }): ReactNode {
  const { billingAddress: billing, providerEmail, transactionId, expiresAt, metadata } = receipt
  const { providerSourceAmountUsd: charged } = receipt
  const name = [billing?.firstName, billing?.lastName].filter(Boolean).join(' ')
  const place = [
    billing?.line1,
    billing?.line2,
    billing?.zip,
    billing?.city,
    billing?.state,
    billing?.country,
  ]
    .filter(Boolean)
    .join(', ')
  const email = billing?.email || providerEmail
  const facts: readonly (readonly [term: string, value: string | null | undefined])[] = [
    [text('receipt.facts.name'), name],
    [text('receipt.facts.email'), email],
    [text('receipt.facts.phone'), billing?.phone],
    [text('receipt.facts.address'), place],
    [text('receipt.facts.reference'), transactionId],
    [text('receipt.facts.expires'), expiresAt === null ? null : dateTime(expiresAt)],
    [text('receipt.facts.provider-session'), receipt.providerSessionId],
    [text('receipt.facts.provider-charged'), charged === undefined ? null : money(charged)],
    [text('receipt.facts.brand'), receipt.brandName],
    [text('receipt.facts.jurisdiction'), receipt.jurisdictionCode],
  ]
  return (
    <Card
      title={text('receipt.facts')}
      action={<CopyButton value={receipt.receiptId} label={text('receipt.facts.copy-id')} />}
    >
      <dl>
        {facts.map(([term, value]) =>
          value ? (
            <Fact key={term} term={term}>
              <bdi>{value}</bdi>
            </Fact>
          ) : null,
        )}
      </dl>
      {metadata && Object.keys(metadata).length > 0 ? (
        <>
          <h3 className="mt-3 mb-2 font-semibold">{text('receipt.facts.metadata')}</h3>
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
            tabIndex={0}
            className="max-h-80 overflow-auto rounded-xl bg-soft p-4 text-sm"
          >
            {JSON.stringify(metadata, null, 2)}
          </pre>
        </>
      ) : null}
    </Card>
  )
}
