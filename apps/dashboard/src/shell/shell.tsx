import { Outlet, useRouterState } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense } from 'react'
import { useOnline } from '../live/use-live.ts'
import { text } from '../messages/messages.ts'
import { useSession } from '../session/session-context.ts'
import { Shortcuts } from '../shortcuts/shortcuts.tsx'
import { Forbidden } from './forbidden.tsx'
import { sectionAt, sectionsOf } from './sections.ts'
import { Sidebar } from './sidebar.tsx'

/** Loaded on demand, so that wallet code does not delay the first screen. */
const SignIn = lazy(async () => ({ default: (await import('../session/sign-in.tsx')).SignIn }))
const OtherAccount = lazy(() => import('./other-account.tsx'))

const invitePath = '/invite'

export function Shell(): ReactNode {
  const { session } = useSession()
  const isOnline = useOnline()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  if (session === undefined) return null
  // An invited user may have no session yet.
  if (path === invitePath) return <Outlet />
  if (session === null)
    return (
      <Suspense>
        <SignIn />
      </Suspense>
    )
  const section = sectionAt(path)
  const mayOpen = !section || sectionsOf(session.role).includes(section)
  return (
    <div className="min-h-screen lg:grid lg:grid-cols-[16rem_minmax(0,1fr)]">
      <a href="#content" className="absolute start-3 -top-24 z-10 rounded-lg bg-card px-4 py-3 focus:top-3">
        {text('app.skip')}
      </a>
      <Sidebar session={session} />
      <Shortcuts role={session.role} />
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto w-full min-w-0 max-w-7xl px-4 py-6 md:px-8 md:py-8 lg:px-10"
      >
        {isOnline ? null : (
          // On a wide screen, the sidebar shows this state.
          <p role="status" className="mb-4 rounded-xl bg-wait-soft p-4 text-wait lg:hidden">
            {text('app.live.offline.text')}
          </p>
        )}
        <Suspense>
          <OtherAccount session={session} />
        </Suspense>
        {mayOpen ? <Outlet /> : <Forbidden roles={section.roles} section={text(section.key)} />}
      </main>
    </div>
  )
}
