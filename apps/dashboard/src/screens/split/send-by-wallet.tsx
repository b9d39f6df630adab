import { type ReactNode, useState } from 'react'
import { text } from '../../messages/messages.ts'
import { Address } from '../../parts/address.tsx'
import { Button } from '../../parts/button.tsx'
import { useWebApp } from '../../service/use-web-app.ts'
import { logInProblem } from '../../session/log-in-problem.ts'
import type { BrowserWallet } from '../../wallet/provider.ts'
import { type Call, sendTransaction, waitForTransaction } from '../../wallet/send-transaction.ts'
import { useWallets } from '../../wallet/use-wallets.ts'

export function SendByWallet({
  call,
  label,
  onDone,
}: {
  readonly call: Call
  readonly label: string
  readonly onDone?: () => void
}): ReactNode {
  const { wallets, isSearchOver } = useWallets()
  const chain = useWebApp()?.chain
  const [state, setState] = useState<'idle' | 'wallet' | 'block' | 'done'>('idle')
  const [hash, setHash] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const send = async ({ provider }: BrowserWallet) => {
    if (!chain) return
    setProblem(undefined)
    setState('wallet')
    try {
      const sent = await sendTransaction(provider, chain, call)
      setHash(sent)
      setState('block')
      await waitForTransaction(provider, sent)
      setState('done')
      onDone?.()
    } catch (error) {
      setProblem(logInProblem(error))
      setState('idle')
    }
  }
  return (
    <div className="grid justify-items-start gap-3">
      {state === 'idle'
        ? wallets.map((wallet) => (
            <Button key={wallet.id} look="main" onClick={() => void send(wallet)}>
              {label} · {wallet.name ?? text('sign-in.browser-wallet')}
            </Button>
          ))
        : null}
      {isSearchOver && wallets.length === 0 ? <p className="text-dim">{text('sign-in.none.title')}</p> : null}
      <p role="status" className="empty:hidden">
        {state === 'wallet' ? text('split.wallet.confirm') : null}
        {state === 'block' ? text('split.wallet.block') : null}
        {state === 'done' ? text('split.wallet.done') : null}
      </p>
      {hash ? <Address value={hash} kind="tx" /> : null}
      <p role="alert" className="text-bad empty:hidden">
        {problem}
      </p>
    </div>
  )
}
