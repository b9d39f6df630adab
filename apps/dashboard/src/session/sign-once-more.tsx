import { type ReactNode, useState } from 'react'
import { text } from '../messages/messages.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import type { BrowserWallet } from '../wallet/provider.ts'
import { useWallets } from '../wallet/use-wallets.ts'
import { logIn } from './log-in.ts'
import { logInProblem } from './log-in-problem.ts'
import { useSession } from './session-context.ts'

export default function SignOnceMore({ onDone, onClose }: { onDone(): void; onClose(): void }): ReactNode {
  const { session, renewed } = useSession()
  const { wallets } = useWallets()
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const sign = async (wallet: BrowserWallet) => {
    setBusy(true)
    setProblem(undefined)
    try {
      // Requires the same wallet and merchant, because another session would change the data behind the form.
      renewed(await logIn(wallet.provider, session ?? {}))
      onDone()
    } catch (error) {
      setProblem(logInProblem(error))
      setBusy(false)
    }
  }
  return (
    <Dialog isOpen onClose={onClose} title={text('app.fresh.title')} note={text('app.fresh.text')}>
      <div role="alert">
        {problem ? <p className="rounded-xl bg-bad-soft p-4 text-bad">{problem}</p> : null}
      </div>
      <div className="grid gap-3">
        {wallets.map((wallet) => (
          <Button key={wallet.id} look="main" disabled={isBusy} onClick={() => void sign(wallet)}>
            {text('app.fresh.do', { wallet: wallet.name ?? text('sign-in.browser-wallet') })}
          </Button>
        ))}
        {wallets.length === 0 ? <p className="text-dim">{text('sign-in.looking')}</p> : null}
      </div>
    </Dialog>
  )
}
