import { failures } from '@sluice/protocol/failure-catalogue.ts'
import type { FailureCode } from '@sluice/protocol/failures.ts'
import type { Cents, TokenUnits } from '@sluice/protocol/money.ts'
import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { SessionChangeKind } from '../provider.ts'
import { errorCodeOf, failureCodeOfSandbox, type TestOutcome } from './test-cards.ts'

export type SandboxSession = {
  readonly id: string
  readonly reference: string
  readonly state: SessionChangeKind
  readonly stateAt: UnixMs
  readonly createdAt: UnixMs
  readonly chain: number
  readonly token: Wallet
  readonly units: TokenUnits
  readonly decimals: number
  readonly depositAddress: Wallet
  readonly dueCents: Cents
  readonly sourceCents: Cents | undefined
  readonly redirectUrl: string
  readonly errorCode: string | undefined
  readonly requestId: string | undefined
  /** Time at which an accepted bank payment is settled, or returned if `returnsAs` is set. */
  readonly settlesAt: UnixMs | undefined
  readonly returnsAs: FailureCode | undefined
  readonly transactionHash: string | undefined
}

/** A real bank takes days. */
export const settlesAfterMs = 8_000

const feeBps = 150n

/** Returns the buyer's fee: 1.5 %, rounded up to the cent. */
export function feeOf(due: Cents): Cents {
  return ((due * feeBps + 9_999n) / 10_000n) as Cents
}

/**
 * Returns whether a session accepts a payment. A declined session accepts a retry unless its failure code
 * rules it out.
 */
export function takesPayment({ state, errorCode }: SandboxSession): boolean {
  if (state === 'opened') return true
  return state === 'failed' && failures[failureCodeOfSandbox(errorCode ?? null)].retry !== 'no'
}

/**
 * Returns the session after a payment, or `undefined` if the session accepts no payment.
 *
 * @param requestId - Support reference of the payment.
 */
export function payIn(
  session: SandboxSession,
  outcome: TestOutcome,
  { now, requestId }: { readonly now: UnixMs; readonly requestId: string },
): SandboxSession | undefined {
  if (!takesPayment(session)) return undefined
  const moved = { ...session, stateAt: now, errorCode: undefined, requestId: undefined }
  if (outcome.kind === 'failed')
    return { ...moved, state: 'failed', errorCode: errorCodeOf(outcome.code), requestId }
  const charged = { ...moved, sourceCents: (session.dueCents + feeOf(session.dueCents)) as Cents }
  if (outcome.kind === 'paid') return { ...charged, state: 'accepted' }
  return {
    ...charged,
    state: 'ach_pending',
    settlesAt: addMs(now, settlesAfterMs),
    returnsAs: outcome.kind === 'returned' ? outcome.code : undefined,
    requestId,
  }
}

export function settle(session: SandboxSession, now: UnixMs): SandboxSession {
  const { returnsAs } = session
  const moved = { ...session, stateAt: now, settlesAt: undefined }
  return returnsAs === undefined
    ? { ...moved, state: 'accepted', requestId: undefined }
    : { ...moved, state: 'returned', errorCode: errorCodeOf(returnsAs) }
}

export function markDelivered(session: SandboxSession, transactionHash: string, now: UnixMs): SandboxSession {
  return { ...session, state: 'settled', stateAt: now, transactionHash }
}
