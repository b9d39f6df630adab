import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { text } from '../../messages/messages.ts'
import { useToast } from '../../parts/toasts.tsx'
import { When } from '../../parts/when.tsx'
import { InvitationRefused, type LoginWish, type Session } from '../../session/log-in.ts'
import { useSession } from '../../session/session-context.ts'
import { WalletChoice } from '../../session/wallet-choice.tsx'
import { shortWallet } from '../../shell/account.tsx'
import { roleName } from '../../shell/forbidden.tsx'
import { ClosedInvitation } from './closed-invitation.tsx'
import { type Closed, type Invitation, shopOf } from './invitation.ts'

const closedBy: Readonly<Record<string, Closed>> = {
  invitation_used: 'used',
  invitation_expired: 'expired',
  invitation_withdrawn: 'withdrawn',
  invitation_unknown: 'unknown',
}

export function OpenInvitation({
  invitation,
  token,
}: {
  readonly invitation: Invitation
  readonly token: string
}): ReactNode {
  const { signedIn } = useSession()
  const navigate = useNavigate()
  const say = useToast()
  const [refused, setRefused] = useState<InvitationRefused>()
  const shop = shopOf(invitation)
  const closed = refused && closedBy[refused.reason]
  if (closed) return <ClosedInvitation invitation={invitation} why={closed} />
  const { merchantWallet } = invitation
  const wish: LoginWish = refused ? { merchantWallet } : { invitation: token }
  const enter = (session: Session) => {
    signedIn(session)
    say(text('invite.welcome', { shop, role: roleName(session.role) }))
    void navigate({ to: '/', replace: true })
  }
  return (
    <>
      <div className="grid gap-2">
        <h1 className="font-bold text-2xl tracking-tight [overflow-wrap:anywhere]">
          {text('invite.to', { shop })}
        </h1>
        <p className="text-dim">{text(`invite.as.${invitation.role}`)}</p>
      </div>
      <Facts invitation={invitation} />
      {refused ? (
        <div role="alert" className="rounded-xl bg-wait-soft p-4 text-wait [overflow-wrap:anywhere]">
          {text('invite.member', { wallet: shortWallet(refused.wallet), shop })}
        </div>
      ) : (
        <p className="text-dim">{text('invite.how')}</p>
      )}
      <WalletChoice
        wish={wish}
        onSignedIn={enter}
        onProblem={(error) => {
          if (!(error instanceof InvitationRefused)) return false
          setRefused(error)
          return true
        }}
      />
    </>
  )
}

function Facts({ invitation }: { readonly invitation: Invitation }): ReactNode {
  const { role, invitedBy, expiresAt } = invitation
  const facts = [
    ['role', text('invite.role'), roleName(role)],
    [
      'by',
      text('invite.by'),
      <code key="by" title={invitedBy}>
        {shortWallet(invitedBy)}
      </code>,
    ],
    ['until', text('invite.until'), <When key="until" at={expiresAt} />],
  ] as const
  return (
    <dl className="grid gap-3 rounded-2xl bg-soft p-5">
      {facts.map(([key, label, value]) => (
        <div key={key} className="flex flex-wrap justify-between gap-x-4 gap-y-1">
          <dt className="text-dim">{label}</dt>
          <dd className="font-medium">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
