import { type ReactNode, useEffect, useState } from 'react'
import { text } from '../messages/messages.ts'
import { Button } from '../parts/button.tsx'
import type { Session } from '../session/log-in.ts'
import { useSession } from '../session/session-context.ts'
import { readLastWallet } from '../wallet/last-wallet.ts'
import { useWallets } from '../wallet/use-wallets.ts'
import { shortWallet } from './account.tsx'

/** Warns if the signed-in wallet switched to another account. The session stays valid until a new sign-in. */
export default function OtherAccount({ session }: { readonly session: Session }): ReactNode {
  const { signOut } = useSession()
  const other = useOtherAccount(session.wallet)
  if (!other) return null
  return (
    <div
      role="status"
      className="mb-6 flex flex-wrap items-center justify-between gap-4 rounded-2xl bg-wait-soft p-4 text-wait"
    >
      <p>{text('app.other-account', { now: shortWallet(other), session: shortWallet(session.wallet) })}</p>
      <Button onClick={() => void signOut()}>{text('app.other-account.switch')}</Button>
    </div>
  )
}

/** Returns the wallet's first account if the session's account is no longer one of its accounts. */
function useOtherAccount(expected: string): string | undefined {
  const { wallets } = useWallets()
  const [accounts, setAccounts] = useState<readonly string[]>([])
  const provider = wallets.find(({ id }) => id === readLastWallet())?.provider
  useEffect(() => {
    if (!provider) return
    const hear = (shown: readonly string[]) => setAccounts(Array.isArray(shown) ? shown : [])
    provider.request({ method: 'eth_accounts' }).then(
      (shown) => hear(shown as readonly string[]),
      () => {},
    )
    provider.on?.('accountsChanged', hear)
    return () => provider.removeListener?.('accountsChanged', hear)
  }, [provider])
  const isShown = accounts.some((account) => account.toLowerCase() === expected.toLowerCase())
  return isShown ? undefined : accounts[0]
}
