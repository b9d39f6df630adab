import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { text } from '../../messages/messages.ts'
import { type Closed, type Invitation, shopOf } from './invitation.ts'

export function ClosedInvitation({
  invitation,
  why,
}: {
  readonly invitation?: Invitation
  readonly why: Closed
}): ReactNode {
  return (
    <>
      <div className="grid gap-3">
        <h1 className="font-bold text-2xl tracking-tight">{text(`invite.${why}.title`)}</h1>
        <p className="text-dim [overflow-wrap:anywhere]">
          {text(`invite.${why}.text`, { shop: invitation ? shopOf(invitation) : '' })}
        </p>
      </div>
      <Link to="/" className="justify-self-start py-1 text-accent underline underline-offset-4">
        {text('invite.sign-in')}
      </Link>
    </>
  )
}
