import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { text } from '../messages/messages.ts'

/** A modal dialog. The native element needs no inline styles, which the Content-Security-Policy forbids. */
export function Dialog(props: {
  readonly isOpen: boolean
  onClose(): void
  readonly title: string
  readonly note?: ReactNode
  /**
   * If true, only a button in the dialog closes it. For dialogs that show a secret once or have work in
   * progress.
   */
  readonly isHeld?: boolean
  readonly children: ReactNode
}): ReactNode {
  return props.isOpen ? <OpenDialog {...props} /> : null
}

function OpenDialog({
  onClose,
  title,
  note,
  isHeld = false,
  children,
}: Parameters<typeof Dialog>[0]): ReactNode {
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
      onKeyDown={(event) => {
        // Browsers close a dialog on a second Esc even if `cancel` is prevented, so this blocks every Esc.
        if (isHeld && event.key === 'Escape') event.preventDefault()
      }}
      onCancel={(event) => {
        event.preventDefault()
        if (!isHeld) onClose()
      }}
      className="fixed inset-x-3 top-[6vh] z-30 mx-auto max-h-[88vh] w-auto max-w-xl overflow-y-auto rounded-2xl border border-line bg-card p-6 text-ink shadow-xl backdrop:bg-black/50 sm:w-full"
    >
      <div className="grid gap-4">
        <h2 id={id} className={`text-xl font-bold tracking-tight ${isHeld ? '' : 'pe-12'}`}>
          {title}
        </h2>
        {note ? (
          <div id={`${id}-note`} className="text-dim">
            {note}
          </div>
        ) : null}
        {children}
      </div>
      {isHeld ? (
        <Hold />
      ) : (
        // Placed last in the dialog, so that the initial focus is on the content.
        <button
          type="button"
          onClick={onClose}
          aria-label={text('app.close')}
          className="absolute end-6 top-6 grid size-9 place-items-center rounded-lg text-dim hover:bg-soft"
        >
          <span aria-hidden="true">✕</span>
        </button>
      )}
    </dialog>
  )
}

function Hold(): ReactNode {
  useBlocker({ shouldBlockFn: () => true, enableBeforeUnload: true })
  return null
}
