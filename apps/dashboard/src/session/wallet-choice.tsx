import { type ReactNode, useState } from 'react'
import { text } from '../messages/messages.ts'
import { useWebApp } from '../service/use-web-app.ts'
import { demoWalletId } from '../wallet/demo-wallet-id.ts'
import { keepLastWallet } from '../wallet/last-wallet.ts'
import type { BrowserWallet } from '../wallet/provider.ts'
import { useWallets } from '../wallet/use-wallets.ts'
import { type LoginWish, logIn, type Session } from './log-in.ts'
import { logInProblem } from './log-in-problem.ts'
import { WalletConnect } from './wallet-connect.tsx'

type Choosing = {
  readonly wish?: LoginWish
  onSignedIn(session: Session): void
  /** Shows an error elsewhere. Returns whether it showed the error. */
  onProblem?(error: unknown): boolean
}

export function WalletChoice(choosing: Choosing): ReactNode {
  const { wallets, isSearchOver } = useWallets()
  const walletConnect = useWebApp()?.walletConnect
  const { signIn, asked, problem } = useSignIn(choosing)
  return (
    <>
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
    </>
  )
}

function useSignIn({ wish, onSignedIn, onProblem }: Choosing) {
  const [asked, setAsked] = useState<BrowserWallet>()
  const [problem, setProblem] = useState<string>()
  const signIn = async (wallet: BrowserWallet) => {
    setAsked(wallet)
    setProblem(undefined)
    try {
      const session = await logIn(wallet.provider, wish)
      keepLastWallet(wallet.id)
      onSignedIn(session)
    } catch (error) {
      if (!onProblem?.(error)) setProblem(logInProblem(error))
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
