import type { ReactNode } from 'react'
import { centsOf, moneyOf } from '../../format/cents.ts'
import { text } from '../../messages/messages.ts'
import type { CartLine } from './cart.ts'

export function CartLines({
  cart,
  onChange,
}: {
  readonly cart: readonly CartLine[]
  onChange(product: CartLine['product'], qty: number): void
}): ReactNode {
  if (cart.length === 0) return <p className="text-dim">{text('orders.cart.empty')}</p>
  return (
    <ul className="grid gap-3">
      {cart.map(({ product, qty }) => (
        <li key={product.id} className="flex items-center gap-3">
          <input
            aria-label={text('orders.cart.qty', { name: product.name })}
            inputMode="numeric"
            value={qty}
            onChange={({ target }) => {
              if (/^\d{1,7}$/.test(target.value)) onChange(product, Math.max(1, Number(target.value)))
            }}
            className="min-h-11 w-16 shrink-0 rounded-xl border border-line bg-card px-2 text-center tabular-nums"
          />
          <span className="min-w-0 grow [overflow-wrap:anywhere]">
            <bdi>{product.name}</bdi>
          </span>
          <span className="tabular-nums">{moneyOf(centsOf(product.priceUsd) * BigInt(qty), 'USD')}</span>
          <button
            type="button"
            aria-label={text('orders.cart.remove', { name: product.name })}
            onClick={() => onChange(product, 0)}
            className="grid size-9 shrink-0 place-items-center rounded-lg text-dim hover:bg-soft"
          >
            <span aria-hidden="true">✕</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
