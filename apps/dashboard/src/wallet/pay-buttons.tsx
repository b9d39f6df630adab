import { type ReactNode, useState } from 'react'
import { tokenAmount } from '../format/token.ts'
import { text } from '../messages/messages.ts'
import { Button } from '../parts/button.tsx'
import type { KnownToken } from '../service/find-token.ts'
import type { WebApp } from '../service/use-web-app.ts'
import { payToken, TooLittle } from './pay-token.ts'
import { type BrowserWallet, readWalletError } from './provider.ts'
import { useWallets } from './use-wallets.ts'

type Payment = { readonly token: KnownToken; readonly to: string; readonly units: bigint }

export function PayButtons({
  chain,
  payment,
  onPaid,
}: {
  readonly chain: WebApp['chain']
  readonly payment: Payment
  onPaid(hash: string): void
}): ReactNode {
  const { wallets, isSearchOver } = useWallets()
  const [asked, setAsked] = useState<BrowserWallet>()
  const [problem, setProblem] = useState<string>()
  const pay = async (wallet: BrowserWallet) => {
    setAsked(wallet)
    setProblem(undefined)
    try {
      onPaid(await payToken(wallet.provider, chain, payment))
    } catch (error) {
      setProblem(problemOf(error, payment, chain.name))
    } finally {
      setAsked(undefined)
    }
  }
  return (
    <>
      {wallets.map((wallet) => (
        <Button key={wallet.id} look="main" disabled={asked !== undefined} onClick={() => void pay(wallet)}>
          {asked === wallet
            ? text('app.pay.waiting')
            : text('app.pay.with', { wallet: wallet.name ?? text('app.pay.browser-wallet') })}
        </Button>
      ))}
      {wallets.length === 0 ? (
        <p className="self-center text-dim">{text(isSearchOver ? 'app.pay.none' : 'app.pay.looking')}</p>
      ) : null}
      <div role="alert" className="w-full empty:hidden">
        {problem ? <p className="rounded-xl bg-bad-soft p-4 text-bad">{problem}</p> : null}
      </div>
    </>
  )
}

function problemOf(error: unknown, { token, units }: Payment, network: string): string {
  if (error instanceof TooLittle) {
    const amount = (value: bigint) => tokenAmount(value, token.decimals, token.symbol)
    return text('app.pay.too-little', { has: amount(error.balance), needs: amount(units) })
  }
  const reason = readWalletError(error)
  if (reason === 'rejected') return text('app.pay.rejected')
  if (reason === 'busy') return text('app.pay.busy')
  if ((error as { code?: number }).code === 4902) return text('app.pay.unknown-network', { network })
  const message = error instanceof Error ? error.message.slice(0, 200) : String(error)
  return text('app.pay.other', { message })
}
