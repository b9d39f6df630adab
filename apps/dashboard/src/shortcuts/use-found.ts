import { useQuery } from '@tanstack/react-query'
import type { NavigateOptions } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { api, contentOf } from '../api/client.ts'
import { money } from '../format/money.ts'
import { text } from '../messages/messages.ts'
import { type Role, sectionsOf } from '../shell/sections.ts'

export type Found = {
  readonly id: string
  readonly name: string
  readonly note: string
  readonly link: NavigateOptions
}

const pauseMs = 150
const atMost = 6

export function useFound(typed: string, role: Role): { found: readonly Found[]; isBusy: boolean } {
  const q = useSettled(typed.trim())
  const mayRead = role !== 'cashier' && role !== 'operator'
  const remote = useQuery({
    queryKey: ['find', q],
    queryFn: () => findRemote(q),
    enabled: mayRead && q.length > 0,
  })
  const pages = sectionsOf(role)
    .map(({ to, key }) => ({ id: `page${to}`, name: text(key), note: text('find.page'), link: { to } }))
    .filter(({ name }) => name.toLowerCase().includes(typed.trim().toLowerCase()))
  // Results for another query must not be opened.
  const isCurrent = q !== '' && q === typed.trim()
  return {
    found: [...(isCurrent ? (remote.data ?? []) : []), ...pages],
    isBusy: mayRead && typed.trim() !== '' && (remote.isFetching || q !== typed.trim()),
  }
}

async function findRemote(q: string): Promise<Found[]> {
  const [receipts, products] = await Promise.all([
    contentOf(api.GET('/api/receipts', { params: { query: { q, limit: atMost } } })),
    contentOf(api.GET('/api/inventory', { params: { query: { q, limit: atMost } } })),
  ])
  return [
    ...receipts.receipts.map(({ receiptId, displayStatus, total, currency, totalUsd }) => ({
      id: `receipt-${receiptId}`,
      name: receiptId,
      note: [
        total === undefined ? money(totalUsd) : money(total, currency),
        text(`status.${displayStatus}`),
      ].join(' · '),
      link: { to: '/receipts/$receiptId', params: { receiptId } } as NavigateOptions,
    })),
    ...products.items.map(({ id, name, sku }) => ({
      id: `product-${id}`,
      name,
      note: sku,
      link: { to: '/products/$productId', params: { productId: id } } as NavigateOptions,
    })),
  ]
}

/** Returns the latest value after typing has paused. */
function useSettled(value: string): string {
  const [settled, settle] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => settle(value), pauseMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
