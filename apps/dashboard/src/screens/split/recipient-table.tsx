import type { ReactNode } from 'react'
import { percent } from '../../format/percent.ts'
import { text } from '../../messages/messages.ts'
import { Address } from '../../parts/address.tsx'
import { Cell, HeadCell, RowHead, Table } from '../../parts/table.tsx'
import { useWebApp } from '../../service/use-web-app.ts'
import { useSession } from '../../session/session-context.ts'
import { groundOf, type Share } from './donut.tsx'

export function RecipientTable({ shares }: { readonly shares: readonly Share[] }): ReactNode {
  return (
    <Table
      label={text('split.recipients')}
      head={
        <>
          <HeadCell>{text('split.column.recipient')}</HeadCell>
          <HeadCell className="text-end">{text('split.column.share')}</HeadCell>
        </>
      }
    >
      {shares.map(({ address, sharesBps }, i) => (
        <tr key={address}>
          <RowHead>
            <span className="grid grid-cols-[auto_minmax(0,1fr)] items-start gap-3">
              <span aria-hidden="true" className={`mt-1.5 size-3 rounded-sm ${groundOf(i)}`} />
              <span className="grid justify-items-start gap-1">
                <Known address={address} />
                <Address value={address} />
              </span>
            </span>
          </RowHead>
          <Cell isAmount>{percent(sharesBps)}</Cell>
        </tr>
      ))}
    </Table>
  )
}

/** A label for the platform's or the merchant's address. */
export function Known({ address }: { readonly address: string }): ReactNode {
  const { session } = useSession()
  const platform = useWebApp()?.platformFee.recipient
  const is = (other: string | null | undefined) => other?.toLowerCase() === address.toLowerCase()
  const label = is(platform) ? 'platform' : is(session?.merchantWallet) ? 'merchant' : undefined
  if (!label) return null
  return <span className="text-dim text-sm">{text(`split.known.${label}`)}</span>
}
