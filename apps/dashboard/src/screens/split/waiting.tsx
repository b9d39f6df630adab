import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, contentOf } from '../../api/client.ts'
import { tokenAmount } from '../../format/token.ts'
import { text } from '../../messages/messages.ts'
import { Section } from '../../parts/section.tsx'
import { Cell, HeadCell, RowHead, Table } from '../../parts/table.tsx'
import { When } from '../../parts/when.tsx'
import { findToken } from '../../service/find-token.ts'
import { useWebApp } from '../../service/use-web-app.ts'

/** Shows the money that is still at deposit addresses, if any. */
export function Waiting(): ReactNode {
  const webApp = useWebApp()
  const { data } = useQuery({
    queryKey: ['split-transactions', 'waiting'],
    queryFn: () => contentOf(api.GET('/api/deposits/waiting', { params: { query: { limit: '50' } } })),
  })
  const deposits = data?.deposits ?? []
  if (deposits.length === 0) return null
  return (
    <Section title={text('split.waiting')} note={text('split.waiting.note')}>
      <Table
        label={text('split.waiting')}
        head={
          <>
            <HeadCell>{text('split.column.receipt')}</HeadCell>
            <HeadCell>{text('split.column.amount')}</HeadCell>
            <HeadCell>{text('split.waiting.since')}</HeadCell>
          </>
        }
      >
        {deposits.map(({ receiptId, currency, amountRaw, since }) => (
          <tr key={`${receiptId} ${currency}`}>
            <RowHead>
              <Link
                to="/receipts/$receiptId"
                params={{ receiptId }}
                className="text-accent underline underline-offset-4"
              >
                {receiptId}
              </Link>
            </RowHead>
            <Cell className="tabular-nums">
              {tokenAmount(amountRaw, findToken(webApp, currency)?.decimals ?? 0, currency)}
            </Cell>
            <Cell className="text-dim">
              <When at={since} />
            </Cell>
          </tr>
        ))}
      </Table>
    </Section>
  )
}
