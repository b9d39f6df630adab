import { type ReactNode, useEffect } from 'react'
import { text } from '../messages/messages.ts'
import { EntryFrame } from './entry-frame.tsx'
import { forLastMerchant } from './last-merchant.ts'
import { useSession } from './session-context.ts'
import { WalletChoice } from './wallet-choice.tsx'

export function SignIn(): ReactNode {
  const { hasEnded, signedIn } = useSession()
  useEffect(() => {
    document.title = `${text('sign-in.title')} · ${text('app.name')}`
  }, [])
  return (
    <EntryFrame>
      <div className="grid gap-2">
        <h1 className="font-bold text-2xl tracking-tight">{text('sign-in.title')}</h1>
        <p className="text-dim">{text('sign-in.text')}</p>
      </div>
      {hasEnded ? <p className="rounded-xl bg-wait-soft p-4 text-wait">{text('sign-in.ended')}</p> : null}
      <WalletChoice onSignedIn={(session) => void forLastMerchant(session).then(signedIn)} />
    </EntryFrame>
  )
}
