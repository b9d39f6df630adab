import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { api, contentOf } from '../../api/client.ts'
import type { components } from '../../api/schema.d.ts'
import { money } from '../../format/money.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { TextField } from '../../parts/field.tsx'
import { Notice } from '../../parts/notice.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { type CartLine, qtyOf } from './cart.ts'

type Product = components['schemas']['Product']

const pauseMs = 200
const shown = 20

export function ProductPicker({
  cart,
  onChange,
}: {
  readonly cart: readonly CartLine[]
  onChange(product: Product, qty: number): void
}): ReactNode {
  const [typed, setTyped] = useState('')
  const [q, setQ] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setQ(typed.trim()), pauseMs)
    return () => clearTimeout(timer)
  }, [typed])
  const products = useQuery({
    queryKey: ['products', 'for-sale', q],
    placeholderData: keepPreviousData,
    queryFn: () => {
      const query = { status: 'active', sort: 'name', limit: shown, ...(q && { q }) } as const
      return contentOf(api.GET('/api/inventory', { params: { query } }))
    },
  })
  return (
    <section aria-label={text('orders.pick')} className="grid min-w-0 gap-3">
      <TextField
        type="search"
        label={text('orders.pick.search')}
        placeholder={text('orders.pick.search')}
        isLabelHidden
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <QueryView
        query={products}
        isEmpty={({ items }) => items.length === 0}
        empty={<Notice title={text('orders.pick.none')}>{text('orders.pick.none-text')}</Notice>}
      >
        {({ items, total }) => (
          <>
            <ul className="rounded-2xl border border-line bg-card">
              {items.map((product) => (
                <Entry key={product.id} product={product} qty={qtyOf(cart, product)} onChange={onChange} />
              ))}
            </ul>
            {total > items.length ? (
              <p className="text-dim text-sm">{text('orders.pick.more', { count: total - items.length })}</p>
            ) : null}
          </>
        )}
      </QueryView>
    </section>
  )
}

function Entry({
  product,
  qty,
  onChange,
}: {
  readonly product: Product
  readonly qty: number
  onChange(product: Product, qty: number): void
}): ReactNode {
  const { name, sku, priceUsd, stockQty } = product
  const isGone = stockQty !== -1 && qty >= stockQty
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-line px-4 py-3 not-first:border-t">
      <span className="min-w-0 grow [overflow-wrap:anywhere]">
        <bdi className="block font-medium">{name}</bdi>
        <span className="text-dim text-sm">
          <bdi className="font-mono">{sku}</bdi>
          {stockQty === -1 ? null : ` · ${text('orders.pick.stock', { count: stockQty })}`}
        </span>
      </span>
      <span className="tabular-nums">{money(priceUsd)}</span>
      <Button
        aria-label={text('orders.pick.add', { name })}
        disabled={isGone}
        onClick={() => onChange(product, qty + 1)}
      >
        {text('orders.pick.do')}
      </Button>
    </li>
  )
}
