import { type ReactNode, useEffect } from 'react'
import { text } from '../../messages/messages.ts'

const keys = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '00', '0', 'back'] as const

export type Key = (typeof keys)[number]

export function Keypad({ onKey }: { onKey(key: Key): void }): ReactNode {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof HTMLElement && event.target.closest('input, textarea, select, dialog')
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === 'Backspace') onKey('back')
      else if (/^\d$/.test(event.key)) onKey(event.key as Key)
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  })
  return (
    <fieldset className="grid grid-cols-3 gap-2 sm:gap-3">
      <legend className="sr-only">{text('terminal.keypad')}</legend>
      {keys.map((key) => (
        <button
          key={key}
          type="button"
          onClick={() => onKey(key)}
          {...(key === 'back' ? { 'aria-label': text('terminal.back') } : {})}
          className="min-h-16 rounded-2xl border border-line bg-card font-semibold text-2xl tabular-nums hover:bg-soft active:bg-line sm:min-h-20 sm:text-3xl"
        >
          {key === 'back' ? <span aria-hidden="true">⌫</span> : key}
        </button>
      ))}
    </fieldset>
  )
}
