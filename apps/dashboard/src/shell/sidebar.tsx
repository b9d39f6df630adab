import { Link, useRouterState } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { LiveIcon } from '../live/live-sign.tsx'
import { text } from '../messages/messages.ts'
import type { Session } from '../session/log-in.ts'
import { openFindEvent } from '../shortcuts/keys.ts'
import { Account } from './account.tsx'
import { NetworkIcon } from './network-sign.tsx'
import { SectionIcon } from './section-icon.tsx'
import { sectionsOf } from './sections.ts'
import { ShopName } from './shop-name.tsx'

export function Sidebar({ session }: { readonly session: Session }): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: a navigation closes the menu
  useEffect(() => setOpen(false), [path])
  const closeByKey = ({ key }: KeyboardEvent) => {
    if (key !== 'Escape' || !isOpen) return
    setOpen(false)
    button.current?.focus()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Esc from any child closes the menu
    <header
      onKeyDown={closeByKey}
      className="border-line border-b bg-card lg:sticky lg:top-0 lg:z-10 lg:flex lg:h-screen lg:flex-col lg:border-e lg:border-b-0"
    >
      <div className="flex items-center justify-between gap-3 px-4 py-3 lg:px-5 lg:pt-6 lg:pb-2">
        <ShopName />
        <button
          ref={button}
          type="button"
          aria-expanded={isOpen}
          aria-controls="menu"
          onClick={() => setOpen(!isOpen)}
          className="inline-flex min-h-11 items-center gap-2 rounded-xl border border-line px-4 font-semibold hover:bg-soft lg:hidden shrink-0"
        >
          <span aria-hidden="true">{isOpen ? '✕' : '☰'}</span>
          {text('app.menu')}
        </button>
      </div>
      <div
        id="menu"
        className={`${isOpen ? 'flex' : 'hidden'} min-h-0 grow flex-col gap-4 px-3 pb-4 lg:flex`}
      >
        <div className="flex min-h-0 grow flex-col gap-4 lg:overflow-y-auto">
          <div className="grid justify-items-start gap-2 px-2 pt-1">
            <NetworkIcon />
            <LiveIcon />
          </div>
          <button
            type="button"
            onClick={() => dispatchEvent(new Event(openFindEvent))}
            className="mx-2 flex min-h-11 items-center justify-between gap-3 rounded-xl border border-line px-3 text-dim hover:bg-soft lg:min-h-10"
          >
            {text('app.find')}
            <kbd dir="ltr" className="font-mono text-sm">
              {text('app.find.keys')}
            </kbd>
          </button>
          <Sections role={session.role} />
        </div>
        <Account session={session} />
      </div>
    </header>
  )
}

function Sections({ role }: { readonly role: Session['role'] }): ReactNode {
  return (
    <nav aria-label={text('nav.label')} className="grow">
      <ul className="grid gap-0.5">
        {sectionsOf(role).map(({ to, key }) => (
          <li key={to}>
            <Link
              to={to}
              className="flex min-h-11 items-center gap-3 rounded-xl border-transparent border-s-4 px-3 font-medium text-dim hover:bg-soft hover:text-ink lg:min-h-10"
              activeProps={{ className: '!border-accent bg-soft !text-ink', 'aria-current': 'page' }}
            >
              <SectionIcon to={to} />
              {text(key)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
