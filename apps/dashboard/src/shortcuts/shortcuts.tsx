import { useNavigate } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { withTexts } from '../messages/messages.ts'
import type { Role } from '../shell/sections.ts'
import { sectionsOf } from '../shell/sections.ts'
import { areShortcutsOn, isInDialog, isTyping, letters, openFindEvent } from './keys.ts'

const Find = lazy(withTexts(['find'], () => import('./find.tsx')))
const ShortcutList = lazy(withTexts(['find'], () => import('./shortcut-list.tsx')))

const chordMs = 1_500

/**
 * Handles the shortcuts: ⌘K or Ctrl+K opens the search, `?` the list of shortcuts, `g` plus a letter a
 * section.
 */
export function Shortcuts({ role }: { readonly role: Role }): ReactNode {
  const [open, setOpen] = useState<'find' | 'list'>()
  const navigate = useNavigate()
  const since = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    const follow = (letter: string) => {
      const to = letters[letter as keyof typeof letters]
      if (to && sectionsOf(role).some((section) => section.to === to)) void navigate({ to })
    }
    const hear = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        if (!isInDialog()) setOpen('find')
        return
      }
      const isPlain = !event.metaKey && !event.ctrlKey && !event.altKey
      if (!isPlain || isTyping(event.target) || isInDialog()) return
      if (!areShortcutsOn()) return
      if (event.key === '?') setOpen('list')
      if (event.timeStamp - since.current < chordMs) follow(event.key.toLowerCase())
      since.current = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
    }
    const find = () => setOpen('find')
    addEventListener('keydown', hear)
    addEventListener(openFindEvent, find)
    return () => {
      removeEventListener('keydown', hear)
      removeEventListener(openFindEvent, find)
    }
  }, [navigate, role])
  const close = () => setOpen(undefined)
  return (
    <Suspense>
      {open === 'find' ? <Find role={role} onClose={close} /> : null}
      {open === 'list' ? <ShortcutList onClose={close} /> : null}
    </Suspense>
  )
}
