import { createLink } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'

/** A table in a region that scrolls by itself where the screen is narrow. */
export function Table({
  label,
  head,
  children,
}: {
  readonly label: string
  readonly head: ReactNode
  /** Rows. */
  readonly children: ReactNode
}): ReactNode {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by keys
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

/** The head of a column. */
export function HeadCell({ className = '', ...rest }: ComponentProps<'th'>): ReactNode {
  const side = className.includes('text-end') ? '' : 'text-start'
  return <th scope="col" {...rest} className={`px-4 py-3 font-medium ${side} ${className}`} />
}

/** The cell that names its row. */
export function RowHead({ className = '', ...rest }: ComponentProps<'th'>): ReactNode {
  return (
    <th
      scope="row"
      {...rest}
      className={`border-line border-t px-4 py-3 text-start font-medium ${className}`}
    />
  )
}

/** A cell; amounts take `isAmount`. */
export function Cell({
  isAmount = false,
  className = '',
  ...rest
}: ComponentProps<'td'> & { readonly isAmount?: boolean }): ReactNode {
  const look = isAmount ? 'text-end tabular-nums whitespace-nowrap' : ''
  return <td {...rest} className={`border-line border-t px-4 py-3 ${look} ${className}`} />
}

/** What a row is called, as the link to its page: high enough for a thumb. */
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
