import { useSession } from './session-context.ts'

/**
 * Returns whether the role manages the merchant, for adapting the screen. The service enforces the rights.
 */
export function useRole(): { readonly isManager: boolean; readonly wallet: string } {
  const { session } = useSession()
  const isManager = session?.role === 'owner' || session?.role === 'admin'
  return { isManager, wallet: session?.merchantWallet ?? session?.wallet ?? '' }
}
