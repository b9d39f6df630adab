import { type ReactNode, useState } from 'react'
import { text } from '../messages/messages.ts'
import { type BrowserWallet, useWallets } from '../wallet/use-wallets.ts'
import { logIn } from './log-in.ts'
import { logInProblem } from './log-in-problem.ts'
import { useSession } from './session-context.ts'

/** Where a member of a merchant signs in with a wallet. The page that was asked for follows. */
export function SignIn(): ReactNode {
  const { signedIn, hasEnded } = useSession()
  const { wallets, isSearchOver } = useWallets()
  const [asked, setAsked] = useState<BrowserWallet>()
  const [problem, setProblem] = useState<string>()

  const signIn = async (wallet: BrowserWallet) => {
    setAsked(wallet)
    setProblem(undefined)
    try {
      signedIn(await logIn(wallet.provider))
    } catch (error) {
      setProblem(logInProblem(error))
    } finally {
      setAsked(undefined)
    }
  }

  return (
    <main className="mx-auto grid max-w-md gap-6 px-5 py-[12vh]">
      <h1 className="text-3xl font-bold tracking-tight">{text('sign-in.title')}</h1>
      <p className="text-dim">{text('sign-in.text')}</p>
      {hasEnded ? <p className="rounded-xl bg-wait-soft p-4 text-wait">{text('sign-in.ended')}</p> : null}
      <div role="alert">
        {problem ? <p className="rounded-xl bg-bad-soft p-4 text-bad">{problem}</p> : null}
      </div>
      <ul className="grid gap-3" aria-busy={!isSearchOver && wallets.length === 0}>
        {wallets.map((wallet) => (
          <li key={wallet.id}>
            <WalletButton
              wallet={wallet}
              isAsked={wallet === asked}
              isIdle={!asked}
              onPress={() => void signIn(wallet)}
            />
          </li>
        ))}
      </ul>
      {wallets.length === 0 ? <NoWallet isSearchOver={isSearchOver} /> : null}
    </main>
  )
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
  return (
    <button
      type="button"
      disabled={!isIdle}
      onClick={onPress}
      className="flex min-h-14 w-full items-center gap-4 rounded-2xl border border-line bg-card px-5 py-3 text-start font-semibold hover:bg-soft disabled:opacity-70"
    >
      {wallet.icon ? (
        <img src={wallet.icon} alt="" width={32} height={32} className="rounded-lg bg-white" />
      ) : (
        <span aria-hidden="true" className="grid size-8 place-items-center rounded-lg bg-soft text-accent">
          {name.slice(0, 1)}
        </span>
      )}
      <span aria-live="polite">
        {isAsked ? text('sign-in.waiting') : text('sign-in.with', { wallet: name })}
      </span>
    </button>
  )
}

function NoWallet({ isSearchOver }: { readonly isSearchOver: boolean }): ReactNode {
  if (!isSearchOver) return <p className="text-dim">{text('sign-in.looking')}</p>
  return (
    <div className="grid gap-2 rounded-2xl border border-line bg-card p-6">
      <h2 className="font-semibold">{text('sign-in.none.title')}</h2>
      <p className="text-dim">{text('sign-in.none.text')}</p>
      <a
        className="text-accent underline underline-offset-4"
        href="https://ethereum.org/wallets/find-wallet/"
        target="_blank"
        rel="noopener noreferrer"
      >
        {text('sign-in.none.link')}
      </a>
    </div>
  )
}
