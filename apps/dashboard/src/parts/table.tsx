import { createLink } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'

export function Table({
  label,
  head,
  children,
}: {
  readonly label: string
  readonly head: ReactNode
  readonly children: ReactNode
}): ReactNode {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
      tabIndex={0}
      className="relative overflow-x-auto rounded-2xl border border-line bg-card"
    >
      <table className="w-full border-collapse">
        <thead>
          <tr className="text-dim text-sm">{head}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  )
}

export function HeadCell({ className = '', ...rest }: ComponentProps<'th'>): ReactNode {
  const side = className.includes('text-end') ? '' : 'text-start'
  return <th scope="col" {...rest} className={`px-4 py-3 font-medium ${side} ${className}`} />
}

export function RowHead({ className = '', ...rest }: ComponentProps<'th'>): ReactNode {
  return (
    <th
      scope="row"
      {...rest}
      className={`border-line border-t px-4 py-3 text-start font-medium ${className}`}
    />
  )
}

export function Cell({
  isAmount = false,
  className = '',
  ...rest
}: ComponentProps<'td'> & { readonly isAmount?: boolean }): ReactNode {
  const look = isAmount ? 'text-end tabular-nums whitespace-nowrap' : ''
  return <td {...rest} className={`border-line border-t px-4 py-3 ${look} ${className}`} />
}

export const RowLink = createLink(RowAnchor)

function RowAnchor({ children, ...link }: ComponentProps<'a'>): ReactNode {
  return (
    <a
      {...link}
      className="inline-block min-w-28 py-1 text-accent underline underline-offset-4 [overflow-wrap:anywhere]"
    >
      <bdi>{children}</bdi>
    </a>
  )
}
