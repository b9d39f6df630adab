import { type ReactNode, useState } from 'react'
import { flushSync } from 'react-dom'
import { text } from '../messages/messages.ts'
import { useWebApp } from '../service/use-web-app.ts'
import { keepElsewhere } from '../wallet/elsewhere.ts'
import type { BrowserWallet, Provider } from '../wallet/provider.ts'
import { logInProblem } from './log-in-problem.ts'

/** The service's WalletConnect script, shared with the checkout. Draws the QR code into `[data-code]`. */
type Script = {
  connect(options: {
    projectId: string
    chainId: number
    show(step: string, slots?: Readonly<Record<string, string>>): void
  }): Promise<Provider>
}

export function WalletConnect({
  onConnected,
}: {
  readonly onConnected: (wallet: BrowserWallet) => void
}): ReactNode {
  const webApp = useWebApp()
  const [uri, setUri] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const connect = async () => {
    if (!webApp?.walletConnect) return
    setBusy(true)
    setProblem(undefined)
    try {
      const { projectId, script } = webApp.walletConnect
      const loaded = (await import(/* @vite-ignore */ script)) as Script
      // Renders synchronously, because the script draws into the page right after this call.
      const show = (_step: string, slots?: Readonly<Record<string, string>>) =>
        flushSync(() => setUri(slots?.uri))
      const provider = await loaded.connect({ projectId, chainId: webApp.chain.id, show })
      const wallet = { id: 'walletconnect', name: 'WalletConnect', icon: undefined, provider }
      keepElsewhere(wallet)
      onConnected(wallet)
    } catch (error) {
      setProblem(logInProblem(error))
    } finally {
      setBusy(false)
      setUri(undefined)
    }
  }
  return (
    <div className="grid gap-4">
      <button
        type="button"
        disabled={isBusy}
        onClick={() => void connect()}
        className="min-h-12 rounded-2xl border border-line px-5 font-semibold hover:bg-soft disabled:opacity-70"
      >
        {text(isBusy ? 'sign-in.elsewhere.connecting' : 'sign-in.elsewhere')}
      </button>
      <div role="alert" className="empty:hidden">
        {problem ? <p className="rounded-xl bg-bad-soft p-4 text-bad">{problem}</p> : null}
      </div>
      {uri ? (
        <div className="grid justify-items-center gap-3">
          <p className="text-dim">{text('sign-in.elsewhere.scan')}</p>
          <div
            data-code
            data-label={text('sign-in.elsewhere.code')}
            className="w-64 rounded-xl bg-white p-2"
          />
          <a href={uri} className="py-1 text-accent underline underline-offset-4">
            {text('sign-in.elsewhere.open')}
          </a>
        </div>
      ) : null}
    </div>
  )
}
