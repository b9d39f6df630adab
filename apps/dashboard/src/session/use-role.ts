import { useSession } from './session-context.ts'

/** What the role of who is signed in allows; the service decides it once more. */
export function useRole(): { readonly isManager: boolean; readonly wallet: string } {
  const { session } = useSession()
  const isManager = session?.role === 'owner' || session?.role === 'admin'
  return { isManager, wallet: session?.merchantWallet ?? session?.wallet ?? '' }
}
