import { type ReactNode, useEffect, useId, useRef } from 'react'
import { text } from '../messages/messages.ts'

/**
 * A dialog that holds the focus, ends with Esc and gives the focus back: the browser's own, which needs no styles in
 * the page's text, as the app's policy wants it.
 */
export function Dialog(props: {
  readonly isOpen: boolean
  onClose(): void
  readonly title: string
  readonly note?: ReactNode
  readonly children: ReactNode
}): ReactNode {
  return props.isOpen ? <OpenDialog {...props} /> : null
}

function OpenDialog({ onClose, title, note, children }: Parameters<typeof Dialog>[0]): ReactNode {
  const id = useId()
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = element.current
    const before = document.activeElement
    dialog?.showModal()
    return () => {
      dialog?.close()
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      {...(note ? { 'aria-describedby': `${id}-note` } : {})}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      className="fixed inset-x-3 top-[6vh] z-30 mx-auto max-h-[88vh] w-auto max-w-xl overflow-y-auto rounded-2xl border border-line bg-card p-6 text-ink shadow-xl backdrop:bg-black/50 sm:w-full"
    >
      <div className="grid gap-4">
        <div className="flex items-start justify-between gap-4">
          <h2 id={id} className="text-xl font-bold tracking-tight">
            {title}
          </h2>
          <button
            type="button"
            onClick={onClose}
            aria-label={text('app.close')}
            className="grid size-9 shrink-0 place-items-center rounded-lg text-dim hover:bg-soft"
          >
            <span aria-hidden="true">✕</span>
          </button>
        </div>
        {note ? (
          <div id={`${id}-note`} className="text-dim">
            {note}
          </div>
        ) : null}
        {children}
      </div>
    </dialog>
  )
}
