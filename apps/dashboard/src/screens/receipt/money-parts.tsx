import type { ReactNode } from 'react'
import { tokenAmount } from '../../format/token.ts'
import type { TextKey } from '../../messages/catalogue.ts'
import { formatTag, text } from '../../messages/messages.ts'
import { HashLink } from '../../parts/hash-link.tsx'
import { Cell, HeadCell, RowHead, Table } from '../../parts/table.tsx'
import type { Money } from './receipt.ts'

const signs = { released: ['✓', 'text-good'], held: ['!', 'text-bad'], waiting: ['◔', 'text-wait'] } as const

export function MoneyParts({ parts }: Pick<Money, 'parts'>): ReactNode {
  if (parts.length === 0) return null
  const percent = new Intl.NumberFormat(formatTag(), { style: 'percent', maximumFractionDigits: 2 })
  const head = (
    <>
      <HeadCell>{text('receipt.parts.recipient')}</HeadCell>
      <HeadCell className="text-end">{text('receipt.parts.share')}</HeadCell>
      <HeadCell className="text-end">{text('receipt.parts.amount')}</HeadCell>
      <HeadCell>{text('receipt.parts.state')}</HeadCell>
    </>
  )
  return (
    <section className="mt-5">
      <h3 className="mb-2 font-semibold">{text('receipt.parts')}</h3>
      <Table label={text('receipt.parts')} head={head}>
        {parts.map((part) => (
          <tr key={`${part.address} ${part.token}`}>
            <RowHead className="whitespace-nowrap">
              <HashLink kind="address" value={part.address} />
              {part.isPlatform ? (
                <span className="block text-dim text-sm">{text('receipt.parts.platform')}</span>
              ) : null}
            </RowHead>
            <Cell isAmount>{percent.format(part.sharesBps / 10_000)}</Cell>
            <Cell isAmount>
              {part.amountRaw === null ? (
                <span className="text-dim">{text('receipt.parts.later')}</span>
              ) : (
                tokenAmount(part.amountRaw, part.decimals, part.token)
              )}
            </Cell>
            <Cell className="whitespace-nowrap">
              <span className={signs[part.state][1]}>
                <span aria-hidden="true">{signs[part.state][0]}</span>{' '}
                {text(`receipt.parts.state.${part.state}` as TextKey)}
              </span>
              {part.transactionHash ? (
                <span className="block">
                  <HashLink kind="tx" value={part.transactionHash} />
                </span>
              ) : null}
            </Cell>
          </tr>
        ))}
      </Table>
      {parts.some(({ state }) => state === 'held') ? (
        <p className="mt-2 text-dim text-sm">{text('receipt.parts.held-note')}</p>
      ) : null}
    </section>
  )
}
