import { type ReactNode, useEffect, useState } from 'react'
import { text } from '../messages/messages.ts'
import { useWebApp } from '../service/use-web-app.ts'
import { NetworkSign } from '../shell/network-sign.tsx'
import { demoWalletId } from '../wallet/demo-wallet-id.ts'
import { keepLastWallet } from '../wallet/last-wallet.ts'
import type { BrowserWallet } from '../wallet/provider.ts'
import { useWallets } from '../wallet/use-wallets.ts'
import { logIn } from './log-in.ts'
import { logInProblem } from './log-in-problem.ts'
import { useSession } from './session-context.ts'
import { WalletConnect } from './wallet-connect.tsx'

/** Where a member of a merchant signs in with a wallet. The page that was asked for follows. */
export function SignIn(): ReactNode {
  const { hasEnded } = useSession()
  const { wallets, isSearchOver } = useWallets()
  const walletConnect = useWebApp()?.walletConnect
  const { signIn, asked, problem } = useSignIn()
  useEffect(() => {
    document.title = `${text('sign-in.title')} · ${text('app.name')}`
  }, [])

  return (
    <main className="mx-auto grid max-w-lg gap-6 px-4 py-[8vh]">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="flex items-center gap-3 font-bold text-lg">
          <img src="/favicon.ico" alt="" width={36} height={36} />
          {text('app.name')}
        </p>
        <NetworkSign />
      </div>
      <div className="grid gap-5 rounded-3xl border border-line bg-card p-6 sm:p-8">
        <div className="grid gap-2">
          <h1 className="font-bold text-2xl tracking-tight">{text('sign-in.title')}</h1>
          <p className="text-dim">{text('sign-in.text')}</p>
        </div>
        {hasEnded ? <p className="rounded-xl bg-wait-soft p-4 text-wait">{text('sign-in.ended')}</p> : null}
        <div role="alert" className="empty:hidden">
          {problem ? (
            <p className="rounded-xl bg-bad-soft p-4 text-bad [overflow-wrap:anywhere]">{problem}</p>
          ) : null}
        </div>
        <ul className="grid gap-3" aria-busy={!isSearchOver && wallets.length === 0}>
          {wallets.map((wallet) => (
            <li key={wallet.id}>
              <WalletButton
                wallet={wallet}
                isAsked={wallet.id === asked?.id}
                isIdle={!asked}
                onPress={() => void signIn(wallet)}
              />
            </li>
          ))}
        </ul>
        {walletConnect ? <WalletConnect onConnected={(wallet) => void signIn(wallet)} /> : null}
        {wallets.length === 0 && !walletConnect ? <NoWallet isSearchOver={isSearchOver} /> : null}
        <WhatIsSigned />
      </div>
    </main>
  )
}

function useSignIn() {
  const { signedIn } = useSession()
  const [asked, setAsked] = useState<BrowserWallet>()
  const [problem, setProblem] = useState<string>()
  const signIn = async (wallet: BrowserWallet) => {
    setAsked(wallet)
    setProblem(undefined)
    try {
      const session = await logIn(wallet.provider)
      keepLastWallet(wallet.id)
      signedIn(session)
    } catch (error) {
      setProblem(logInProblem(error))
    } finally {
      setAsked(undefined)
    }
  }
  return { signIn, asked, problem }
}

function WalletButton({
  wallet,
  isAsked,
  isIdle,
  onPress,
}: {
  readonly wallet: BrowserWallet
  readonly isAsked: boolean
  readonly isIdle: boolean
  readonly onPress: () => void
}): ReactNode {
  const name = wallet.name ?? text('sign-in.browser-wallet')
  const isDemo = wallet.id === demoWalletId
  return (
    <button
      type="button"
      disabled={!isIdle}
      onClick={onPress}
      className="flex min-h-16 w-full items-center gap-4 rounded-2xl border border-line bg-card px-5 py-3 text-start hover:border-accent hover:bg-soft disabled:opacity-70"
    >
      {wallet.icon ? (
        <img src={wallet.icon} alt="" width={36} height={36} className="rounded-lg bg-white" />
      ) : (
        <span aria-hidden="true" className="grid size-9 place-items-center rounded-lg bg-soft text-accent">
          {name.slice(0, 1)}
        </span>
      )}
      <span className="grid min-w-0 [overflow-wrap:anywhere]">
        <span aria-live="polite" className="font-semibold">
          {isAsked ? text('sign-in.waiting') : text('sign-in.with', { wallet: name })}
        </span>
        {isDemo ? <span className="text-dim text-sm">{text('sign-in.demo-note')}</span> : null}
      </span>
    </button>
  )
}

function NoWallet({ isSearchOver }: { readonly isSearchOver: boolean }): ReactNode {
  if (!isSearchOver) return <p className="text-dim">{text('sign-in.looking')}</p>
  return (
    <div className="grid gap-2 rounded-2xl bg-soft p-5">
      <h2 className="font-semibold">{text('sign-in.none.title')}</h2>
      <p className="text-dim">{text('sign-in.none.text')}</p>
      <a
        className="justify-self-start py-1 text-accent underline underline-offset-4"
        href="https://ethereum.org/wallets/find-wallet/"
        target="_blank"
        rel="noopener noreferrer"
      >
        {text('sign-in.none.link')}
      </a>
    </div>
  )
}

function WhatIsSigned(): ReactNode {
  return (
    <details className="text-sm">
      <summary className="min-h-6 cursor-pointer font-medium text-dim">
        {text('sign-in.signed.title')}
      </summary>
      <ul className="grid list-disc gap-1.5 ps-5 pt-2 text-dim">
        <li>{text('sign-in.signed.host', { host: location.host })}</li>
        <li>{text('sign-in.signed.once')}</li>
        <li>{text('sign-in.signed.nothing')}</li>
      </ul>
    </details>
  )
}
