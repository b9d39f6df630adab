import { type FormEvent, type ReactNode, useState } from 'react'
import { text } from '../messages/messages.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { TextField } from './field.tsx'

/** Asks for confirmation before an irreversible action. If `word` is set, the user must type it. */
export function ConfirmDialog({
  isOpen,
  onClose,
  title,
  children,
  action,
  word,
  isBusy = false,
  onConfirm,
}: {
  readonly isOpen: boolean
  onClose(): void
  readonly title: string
  readonly children: ReactNode
  readonly action: string
  readonly word?: string
  readonly isBusy?: boolean
  onConfirm(): void
}): ReactNode {
  const [typed, setTyped] = useState('')
  const isAllowed = word === undefined || typed.trim() === word
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isAllowed && !isBusy) onConfirm()
  }
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title}>
      <form onSubmit={submit} className="grid gap-5">
        <div className="grid gap-3">{children}</div>
        {word === undefined ? null : (
          <TextField
            label={text('app.type-to-confirm', { word })}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        )}
        <div className="flex flex-wrap justify-end gap-3">
          <Button onClick={onClose}>{text('app.cancel')}</Button>
          <Button type="submit" look="danger" disabled={!isAllowed || isBusy}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
