import type { ReactNode } from 'react'
import { text } from '../../messages/messages.ts'
import { HashLink } from '../../parts/hash-link.tsx'
import { When } from '../../parts/when.tsx'
import type { Unmatched } from './unmatched.ts'

/** Lists the buyers' claims. Marks the claim that is proven by a wallet signature. */
export function ClaimList({
  claims,
}: {
  readonly claims: readonly NonNullable<Unmatched['claim']>[]
}): ReactNode {
  if (claims.length === 0) return null
  return (
    <section className="mt-3 grid gap-3">
      <h3 className="font-semibold">{text('unmatched.claims')}</h3>
      {claims.map((claim) => (
        <div key={claim.id} className="grid gap-1 rounded-xl border border-line p-4 text-sm">
          <p className="flex flex-wrap items-baseline justify-between gap-x-4">
            <span className={claim.isProven ? 'font-medium text-good' : 'font-medium text-wait'}>
              <span aria-hidden="true">{claim.isProven ? '✓' : '?'}</span>{' '}
              {text(claim.isProven ? 'unmatched.claim.proven' : 'unmatched.claim.unproven')}
            </span>
            <When at={claim.at} className="text-dim" />
          </p>
          {claim.note ? (
            <p className="whitespace-pre-line [overflow-wrap:anywhere]">
              <bdi>{claim.note}</bdi>
            </p>
          ) : null}
          <p>
            {text('unmatched.claim.back-to')}{' '}
            <HashLink kind="address" value={claim.refundAddress} isCopyable />
          </p>
          {claim.contact ? (
            <p className="[overflow-wrap:anywhere]">
              {text('unmatched.claim.contact')} <bdi>{claim.contact}</bdi>
            </p>
          ) : null}
        </div>
      ))}
    </section>
  )
}
