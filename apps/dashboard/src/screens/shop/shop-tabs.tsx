import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { text } from '../../messages/messages.ts'

export function ShopTabs(): ReactNode {
  const look = 'min-h-11 border-b-2 border-transparent px-1 py-2 font-semibold text-dim hover:text-ink'
  const active = { className: '!border-accent !text-ink', 'aria-current': 'page' } as const
  return (
    <nav aria-label={text('shop.parts')} className="mb-6 flex gap-6 border-line border-b">
      <Link to="/shop" activeOptions={{ exact: true }} className={look} activeProps={active}>
        {text('shop.profile')}
      </Link>
      <Link to="/shop/look" className={look} activeProps={active}>
        {text('shop.look')}
      </Link>
    </nav>
  )
}
