import { type ReactNode, useId } from 'react'
import { type Headed, Heading } from './heading.tsx'

/** A section for content that has its own frame, such as a table. */
export function Section({ title, note, action, children }: Headed): ReactNode {
  const id = useId()
  return (
    <section aria-labelledby={id} className="grid min-w-0 gap-3">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <Heading id={id} title={title} note={note} />
        {action}
      </div>
      {children}
    </section>
  )
}
