import { useSession } from './session-context.ts'

/** Returns what the role may do, to adapt the screen. The service enforces the rights. */
export function useRole(): { readonly isManager: boolean; readonly wallet: string } {
  const { session } = useSession()
  const isManager = session?.role === 'owner' || session?.role === 'admin'
  return { isManager, wallet: session?.merchantWallet ?? session?.wallet ?? '' }
}
