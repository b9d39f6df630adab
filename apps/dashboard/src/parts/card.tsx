import { type ReactNode, useId } from 'react'
import { type Headed, Heading } from './heading.tsx'

export function Card({ title, note, action, children }: Headed): ReactNode {
  const id = useId()
  return (
    <section aria-labelledby={id} className="min-w-0 rounded-2xl border border-line bg-card p-5 md:p-6">
      <div className="mb-3 flex flex-wrap items-start justify-between gap-3">
        <Heading id={id} title={title} note={note} />
        {action}
      </div>
      {children}
    </section>
  )
}

/** A term and its value. The parent must be a `dl`. */
export function Fact({
  term,
  children,
}: {
  readonly term: ReactNode
  readonly children: ReactNode
}): ReactNode {
  return (
    <div className="flex flex-wrap justify-between gap-x-6 gap-y-1 py-2">
      <dt className="text-dim">{term}</dt>
      <dd className="min-w-0 font-medium tabular-nums [overflow-wrap:anywhere]">{children}</dd>
    </div>
  )
}
