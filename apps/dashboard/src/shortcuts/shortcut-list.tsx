import { type ReactNode, useState } from 'react'
import type { TextKey } from '../messages/catalogue.ts'
import { text } from '../messages/messages.ts'
import { Dialog } from '../parts/dialog.tsx'
import { CheckField } from '../parts/field.tsx'
import { areShortcutsOn, setShortcutsOn } from './keys.ts'

const rows: readonly { readonly keys: readonly string[]; readonly key: TextKey }[] = [
  { keys: ['⌘ K', 'Ctrl K'], key: 'find.shortcut.find' },
  { keys: ['?'], key: 'find.shortcut.list' },
  { keys: ['g r'], key: 'nav.receipts' },
  { keys: ['g u'], key: 'nav.unmatched' },
  { keys: ['g p'], key: 'nav.products' },
  { keys: ['g t'], key: 'nav.terminal' },
  { keys: ['g s'], key: 'nav.split' },
  { keys: ['g d'], key: 'nav.developers' },
  { keys: ['Esc'], key: 'find.shortcut.close' },
]

export default function ShortcutList({ onClose }: { onClose(): void }): ReactNode {
  const [isOn, setOn] = useState(areShortcutsOn())
  return (
    <Dialog isOpen onClose={onClose} title={text('find.shortcuts')}>
      <dl className="grid gap-1">
        {rows.map(({ keys, key }) => (
          <div key={key} className="flex items-center justify-between gap-6 py-1.5">
            <dt>{text(key)}</dt>
            <dd className="flex gap-2">
              {keys.map((each) => (
                <kbd
                  key={each}
                  className="rounded-lg border border-line bg-soft px-2 py-0.5 font-mono text-sm"
                >
                  {each}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <CheckField
        label={text('find.shortcuts.on')}
        hint={text('find.shortcuts.on.hint')}
        checked={isOn}
        onChange={(event) => {
          setShortcutsOn(event.target.checked)
          setOn(event.target.checked)
        }}
      />
    </Dialog>
  )
}
