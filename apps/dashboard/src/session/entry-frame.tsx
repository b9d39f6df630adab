import type { ReactNode } from 'react'
import { text } from '../messages/messages.ts'
import { NetworkIcon } from '../shell/network-sign.tsx'

export function EntryFrame({
  isBare = false,
  children,
}: {
  /** If true, omits the card and sends no requests to the service. */
  readonly isBare?: boolean
  readonly children: ReactNode
}): ReactNode {
  return (
    <main className="mx-auto grid max-w-lg gap-6 px-4 py-[8vh]">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="flex items-center gap-3 font-bold text-lg">
          <img src="/favicon.ico" alt="" width={36} height={36} />
          {text('app.name')}
        </p>
        {isBare ? null : <NetworkIcon />}
      </div>
      {isBare ? (
        children
      ) : (
        <div className="grid gap-5 rounded-3xl border border-line bg-card p-6 sm:p-8">{children}</div>
      )}
    </main>
  )
}
