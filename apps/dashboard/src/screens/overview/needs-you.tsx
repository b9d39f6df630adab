import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { text } from '../../messages/messages.ts'
import { Card } from '../../parts/card.tsx'
import { type Need, useNeeds } from './use-needs.ts'

export function NeedsYou(): ReactNode {
  const { needs, isRead, isWhole } = useNeeds()
  if (!isRead || (needs.length === 0 && !isWhole)) return null
  if (needs.length === 0) {
    return (
      <p className="rounded-2xl bg-good-soft px-5 py-4 font-medium text-good">
        <span aria-hidden="true">✓</span> {text('overview.needs.none')}
      </p>
    )
  }
  return (
    <Card title={text('overview.needs')}>
      <ul>
        {needs.map((need) => (
          <li key={need.key} className="border-line not-first:border-t">
            <NeedRow need={need} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

function NeedRow({ need }: { readonly need: Need }): ReactNode {
  const { key, count, isMore, to, search, isUrgent } = need
  const words = text(key, { count, isMore: String(isMore) })
  return (
    <Link
      to={to as NonNullable<LinkProps['to']>}
      search={(search ?? {}) as never}
      className="flex min-h-12 items-center gap-3 rounded-lg px-1 py-2 hover:bg-soft"
    >
      <span
        aria-hidden="true"
        className={`grid size-7 shrink-0 place-items-center rounded-full font-bold ${isUrgent ? 'bg-bad-soft text-bad' : 'bg-wait-soft text-wait'}`}
      >
        !
      </span>
      <span className="grow">{words}</span>
      <span aria-hidden="true" className="text-dim rtl:-scale-x-100">
        →
      </span>
    </Link>
  )
}
