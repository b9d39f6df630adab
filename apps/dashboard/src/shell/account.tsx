import { type KeyboardEvent, type ReactNode, useRef } from 'react'
import { text } from '../messages/messages.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import type { Session } from '../session/log-in.ts'
import { useSession } from '../session/session-context.ts'
import { roleName } from './forbidden.tsx'

export function Account({ session }: { readonly session: Session }): ReactNode {
  const { signOut } = useSession()
  const menu = useRef<HTMLDetailsElement>(null)
  const closeByKey = ({ key }: KeyboardEvent) => {
    if (key !== 'Escape' || !menu.current?.open) return
    menu.current.open = false
    menu.current.querySelector('summary')?.focus()
  }
  return (
    <details
      ref={menu}
      onKeyDown={closeByKey}
      className="group shrink-0 lg:max-h-[60vh] lg:overflow-y-auto border-line border-t pt-3"
    >
      <summary className="flex min-h-12 cursor-pointer list-none items-center justify-between gap-3 rounded-xl px-3 hover:bg-soft">
        <span className="grid min-w-0">
          <span className="font-mono text-sm">{shortWallet(session.wallet)}</span>
          <span className="text-dim text-sm">{roleName(session.role)}</span>
        </span>
        <span aria-hidden="true" className="text-dim group-open:rotate-180">
          ▾
        </span>
        <span className="sr-only">{text('app.account')}</span>
      </summary>
      <div className="grid gap-3 px-3 pt-3">
        <Address label={text('app.account.wallet')} wallet={session.wallet} />
        {session.merchantWallet && session.merchantWallet !== session.wallet ? (
          <Address label={text('app.account.merchant')} wallet={session.merchantWallet} />
        ) : null}
        <button
          type="button"
          onClick={() => void signOut()}
          className="min-h-11 rounded-xl border border-line px-4 py-2 font-semibold hover:bg-soft"
        >
          {text('app.sign-out')}
        </button>
      </div>
    </details>
  )
}

function Address({ label, wallet }: { readonly label: string; readonly wallet: string }): ReactNode {
  return (
    <div className="grid justify-items-start gap-1.5 text-sm">
      <span className="text-dim">{label}</span>
      <span className="font-mono [overflow-wrap:anywhere]">{wallet}</span>
      <CopyButton value={wallet} />
    </div>
  )
}

export function shortWallet(wallet: string): string {
  return `${wallet.slice(0, 6)}…${wallet.slice(-4)}`
}
