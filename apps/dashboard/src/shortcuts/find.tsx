import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react'
import { text } from '../messages/messages.ts'
import { Dialog } from '../parts/dialog.tsx'
import type { Role } from '../shell/sections.ts'
import { type Found, useFound } from './use-found.ts'

export default function Find({ role, onClose }: { readonly role: Role; onClose(): void }): ReactNode {
  const id = useId()
  const [typed, setTyped] = useState('')
  const [chosen, choose] = useState(0)
  const { found, isBusy } = useFound(typed, role)
  const navigate = useNavigate()
  const current = found[Math.min(chosen, found.length - 1)]
  const open = (item: Found) => {
    onClose()
    void navigate(item.link)
  }
  const step = (event: KeyboardEvent) => {
    const moves: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }
    const move = moves[event.key]
    if (move !== undefined && found.length > 0) {
      event.preventDefault()
      choose((Math.min(chosen, found.length - 1) + move + found.length) % found.length)
    }
    if (event.key === 'Enter' && current) {
      event.preventDefault()
      open(current)
    }
  }
  useEffect(() => {
    document.getElementById(`${id}-${current?.id}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, current?.id])
  return (
    <Dialog isOpen onClose={onClose} title={text('find.title')}>
      <input
        type="text"
        role="combobox"
        autoComplete="off"
        spellCheck={false}
        aria-label={text('find.label')}
        aria-expanded={found.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={current ? `${id}-${current.id}` : undefined}
        placeholder={text('find.placeholder')}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value)
          choose(0)
        }}
        onKeyDown={step}
        className="min-h-12 w-full rounded-xl border border-line bg-page px-4"
      />
      <p role="status" className="text-dim text-sm">
        {isBusy ? text('app.loading') : text('find.count', { count: found.length })}
      </p>
      <div id={`${id}-list`} role="listbox" aria-label={text('find.results')} className="grid gap-0.5">
        {found.map((item) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys
          <div
            key={item.id}
            id={`${id}-${item.id}`}
            role="option"
            tabIndex={-1}
            aria-selected={item === current}
            onClick={() => open(item)}
            className="flex min-h-11 cursor-pointer items-center justify-between gap-4 rounded-xl px-3 py-2 hover:bg-soft aria-selected:bg-soft"
          >
            <span className="min-w-0 font-medium [overflow-wrap:anywhere]">
              <bdi>{item.name}</bdi>
            </span>
            <span className="shrink-0 text-dim text-sm">{item.note}</span>
          </div>
        ))}
      </div>
    </Dialog>
  )
}
