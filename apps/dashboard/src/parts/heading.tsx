import type { ReactNode } from 'react'

export type Headed = {
  readonly title: string
  readonly note?: ReactNode
  readonly action?: ReactNode
  readonly children?: ReactNode
}

export function Heading({ id, title, note }: { readonly id: string } & Headed): ReactNode {
  return (
    <div className="grid gap-1">
      <h2 id={id} className="font-semibold text-lg">
        {title}
      </h2>
      {note ? <div className="max-w-2xl text-pretty text-dim text-sm">{note}</div> : null}
    </div>
  )
}
