import { Link, Outlet } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { TextKey } from '../messages/catalogue.ts'
import { text } from '../messages/messages.ts'
import { Button } from '../parts/button.tsx'
import type { Session } from '../session/log-in.ts'
import { useSession } from '../session/session-context.ts'
import { SignIn } from '../session/sign-in.tsx'
import { sections } from './sections.ts'

/** The frame of every screen: sections, who is signed in, and the screen. Who is not signed in signs in here. */
export function Shell(): ReactNode {
  const { session } = useSession()
  if (session === undefined) return null
  if (session === null) return <SignIn />
  return (
    <div className="min-h-screen md:grid md:grid-cols-[15rem_1fr]">
      <a href="#content" className="absolute start-3 -top-24 z-10 rounded-lg bg-card px-4 py-3 focus:top-3">
        {text('app.skip')}
      </a>
      <aside className="flex flex-wrap items-center justify-between gap-3 border-line border-b bg-card p-4 md:flex-col md:flex-nowrap md:items-stretch md:justify-start md:gap-6 md:border-e md:border-b-0 md:p-5">
        <p className="flex items-center gap-3 font-bold">
          <img src="/favicon.ico" alt="" width={28} height={28} />
          {text('app.name')}
        </p>
        <Sections />
        <Account session={session} />
      </aside>
      <main id="content" tabIndex={-1} className="min-w-0 px-4 py-6 md:px-10 md:py-9">
        <Outlet />
      </main>
    </div>
  )
}

function Sections(): ReactNode {
  return (
    <nav aria-label={text('nav.label')} className="order-last w-full md:order-none md:grow">
      <ul className="flex flex-wrap gap-1 md:grid">
        {sections.map(({ to, key }) => (
          <li key={to}>
            <Link
              to={to}
              className="block rounded-xl px-3 py-2.5 font-medium text-dim hover:bg-soft"
              activeProps={{ className: 'bg-soft !text-ink', 'aria-current': 'page' }}
            >
              {text(key)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Account({ session }: { readonly session: Session }): ReactNode {
  const { signOut } = useSession()
  const wallet = session.merchantWallet ?? session.wallet
  return (
    <div className="flex items-center gap-3 md:grid">
      <p className="text-sm">
        <span className="block font-mono" title={wallet}>
          {wallet.slice(0, 6)}…{wallet.slice(-4)}
        </span>
        <span className="text-dim">{text(`app.role.${session.role}` as TextKey)}</span>
      </p>
      <Button onClick={() => void signOut()}>{text('app.sign-out')}</Button>
    </div>
  )
}
