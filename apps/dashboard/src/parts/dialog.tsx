import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { text } from '../messages/messages.ts'

/** A dialog that holds the focus, ends with Esc and gives the focus back. */
export function Dialog({
  isOpen,
  onClose,
  title,
  note,
  children,
}: {
  readonly isOpen: boolean
  onClose(): void
  readonly title: string
  readonly note?: ReactNode
  readonly children: ReactNode
}): ReactNode {
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => (open ? undefined : onClose())}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-20 bg-black/50" />
        <Radix.Content
          {...(note ? {} : { 'aria-describedby': undefined })}
          className="fixed inset-x-3 top-[6vh] z-30 mx-auto grid max-h-[88vh] max-w-xl gap-4 overflow-y-auto rounded-2xl border border-line bg-card p-6 shadow-xl"
        >
          <div className="flex items-start justify-between gap-4">
            <Radix.Title className="text-xl font-bold tracking-tight">{title}</Radix.Title>
            <Radix.Close
              aria-label={text('app.close')}
              className="grid size-9 shrink-0 place-items-center rounded-lg text-dim hover:bg-soft"
            >
              <span aria-hidden="true">✕</span>
            </Radix.Close>
          </div>
          {note ? (
            <Radix.Description asChild>
              <div className="text-dim">{note}</div>
            </Radix.Description>
          ) : null}
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
