import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'

export function TabLinks({
  label,
  tabs,
}: {
  readonly label: string
  readonly tabs: readonly { readonly to: NonNullable<LinkProps['to']>; readonly label: string }[]
}): ReactNode {
  return (
    <nav aria-label={label} className="mb-6 overflow-x-auto border-line border-b">
      <ul className="flex gap-1">
        {tabs.map((tab) => (
          <li key={tab.to}>
            <Link
              to={tab.to}
              activeOptions={{ exact: true }}
              className="inline-flex min-h-11 items-center whitespace-nowrap border-transparent border-b-3 px-3 font-medium text-dim hover:text-ink"
              activeProps={{ className: '!border-accent !text-ink', 'aria-current': 'page' }}
            >
              {tab.label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
