import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'

export function BackLink({
  to,
  children,
}: {
  readonly to: NonNullable<LinkProps['to']>
  readonly children: ReactNode
}): ReactNode {
  return (
    <Link
      to={to}
      className="mb-4 inline-flex items-center gap-2 py-1 text-accent underline underline-offset-4"
    >
      <span aria-hidden="true" className="rtl:-scale-x-100">
        ←
      </span>
      {children}
    </Link>
  )
}
