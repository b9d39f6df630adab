import { Link } from '@tanstack/react-router'
import type { KeyboardEvent, ReactNode } from 'react'
import type { components } from '../../api/schema.d.ts'
import { money } from '../../format/money.ts'
import type { TextKey } from '../../messages/catalogue.ts'
import { text } from '../../messages/messages.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Cell, HeadCell, RowHead, Table } from '../../parts/table.tsx'
import { When } from '../../parts/when.tsx'
import type { ReceiptSearch } from './receipt-search.ts'
import type { ReceiptColumn } from './use-columns.ts'

type Receipt = components['schemas']['Receipt']

export function ReceiptTable({
  rows,
  columns,
  search,
}: {
  readonly rows: readonly Receipt[]
  readonly columns: readonly ReceiptColumn[]
  /** Undefined if the list cannot be sorted. */
  readonly search?: ReceiptSearch
}): ReactNode {
  const head = (
    <>
      <HeadCell>{text('receipts.column.receipt')}</HeadCell>
      {columns.map((column) => (
        <ColumnHead key={column} column={column} search={search} />
      ))}
    </>
  )
  return (
    <Table label={text('receipts.table')} head={head}>
      {rows.map((receipt) => (
        <tr key={receipt.receiptId} className="hover:bg-soft">
          <RowHead>
            <Link
              to="/receipts/$receiptId"
              params={{ receiptId: receipt.receiptId }}
              onKeyDown={moveByArrow}
              data-row=""
              title={receipt.receiptId}
              dir="auto"
              className="inline-block min-w-24 py-1 text-accent underline underline-offset-4 max-w-36 truncate align-middle md:max-w-40 rtl:text-right"
            >
              <bdi>{receipt.receiptId}</bdi>
            </Link>
            {columns.includes('amount') ? (
              <span className="block tabular-nums xl:hidden">{amountOf(receipt)}</span>
            ) : null}
          </RowHead>
          {columns.map((column) => cellOf[column](receipt))}
        </tr>
      ))}
    </Table>
  )
}

const cellOf: Readonly<Record<ReceiptColumn, (receipt: Receipt) => ReactNode>> = {
  items: ({ lineItems }) => (
    <Cell key="items" className="max-w-72 max-sm:hidden truncate text-dim">
      <bdi>{lineItems[0]?.label}</bdi>
      {lineItems.length > 1 ? ` ${text('receipts.more-lines', { count: lineItems.length - 1 })}` : ''}
    </Cell>
  ),
  status: ({ displayStatus }) => (
    <Cell key="status">
      <StatusBadge status={displayStatus} />
    </Cell>
  ),
  amount: (receipt) => (
    <Cell key="amount" isAmount className="max-xl:hidden">
      {amountOf(receipt)}
    </Cell>
  ),
  usd: ({ totalUsd }) => (
    <Cell key="usd" isAmount>
      {money(totalUsd)}
    </Cell>
  ),
  currency: ({ currency }) => <Cell key="currency">{currency}</Cell>,
  brand: ({ brandName }) => (
    <Cell key="brand">
      <bdi>{brandName}</bdi>
    </Cell>
  ),
  created: ({ createdAt }) => (
    <Cell key="created" className="whitespace-nowrap text-dim">
      <When at={createdAt} />
    </Cell>
  ),
}

const narrowOf: Partial<Record<ReceiptColumn, string>> = { items: 'max-sm:hidden', amount: 'max-xl:hidden' }

function amountOf({ total, totalUsd, currency }: Receipt): string {
  return total === undefined ? money(totalUsd) : money(total, currency)
}

const sortable: Partial<Record<ReceiptColumn, 'amount' | 'createdAt'>> = {
  usd: 'amount',
  created: 'createdAt',
}

function ColumnHead({
  column,
  search,
}: {
  readonly column: ReceiptColumn
  readonly search: ReceiptSearch | undefined
}): ReactNode {
  const { sort = '-createdAt', pages: _, ...kept } = search ?? {}
  const by = sortable[column] ?? (column === 'amount' ? 'amount' : undefined)
  const isAmount = column === 'amount' || column === 'usd'
  const name = text(`receipts.column.${column}` as TextKey)
  if (by === undefined || !search)
    return <HeadCell className={`${isAmount ? 'text-end' : ''} ${narrowOf[column] ?? ''}`}>{name}</HeadCell>
  const isDescending = sort === `-${by}`
  const isSorted = isDescending || sort === by
  return (
    <HeadCell
      className={column === 'amount' ? 'text-end max-xl:hidden' : isAmount ? 'text-end' : ''}
      aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : 'none'}
    >
      <Link
        to="/receipts"
        search={{ ...kept, sort: isDescending ? by : `-${by}` }}
        resetScroll={false}
        className="inline-flex min-h-6 items-center gap-1 hover:text-ink"
      >
        {name}
        <span aria-hidden="true">{isSorted ? (isDescending ? '↓' : '↑') : '↕'}</span>
      </Link>
    </HeadCell>
  )
}

function moveByArrow(event: KeyboardEvent<HTMLAnchorElement>): void {
  const links = [...(event.currentTarget.closest('tbody')?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
  const place = links.indexOf(event.currentTarget)
  const next = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: links.length - 1 }[event.key]
  const link = next === undefined ? undefined : links[next]
  if (!link) return
  event.preventDefault()
  link.focus()
}
