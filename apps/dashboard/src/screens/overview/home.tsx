import { Navigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSession } from '../../session/session-context.ts'
import { sectionsOf } from '../../shell/sections.ts'

export function Home(): ReactNode {
  const { session } = useSession()
  if (!session) return null
  const first = session.role === 'cashier' ? '/terminal' : sectionsOf(session.role)[0]?.to
  return first ? <Navigate to={first} replace /> : null
}
