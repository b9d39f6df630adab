import { Navigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSession } from '../../session/session-context.ts'
import { sectionsOf } from '../../shell/sections.ts'

/** The start of the app: the first section that the role may open. */
export function Home(): ReactNode {
  const { session } = useSession()
  const first = session ? sectionsOf(session.role)[0] : undefined
  return first ? <Navigate to={first.to} replace /> : null
}
