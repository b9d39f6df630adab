import type { ReactNode } from 'react'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import type { FreshKeys } from './use-keys.ts'

/** Shows new keys. The API returns them only once. */
export function ShownOnce({ fresh, onClose }: { readonly fresh: FreshKeys; onClose(): void }): ReactNode {
  return (
    <Dialog
      isOpen
      isHeld
      onClose={onClose}
      title={text('developers.fresh', { name: fresh.name })}
      note={text('developers.fresh.note')}
    >
      <dl className="grid gap-4">
        {fresh.keys.map(({ slot, key }) => (
          <div key={slot} className="grid gap-2 rounded-xl border border-line bg-page p-4">
            <dt className="font-medium">
              {text(slot === 'primary' ? 'developers.slot.primary' : 'developers.slot.secondary')}
            </dt>
            <dd className="flex flex-wrap items-center justify-between gap-3">
              <code className="min-w-0 [overflow-wrap:anywhere]">{key}</code>
              <CopyButton value={key} />
            </dd>
          </div>
        ))}
      </dl>
      <p className="flex justify-end">
        <Button look="main" onClick={onClose}>
          {text('developers.fresh.done')}
        </Button>
      </p>
    </Dialog>
  )
}
