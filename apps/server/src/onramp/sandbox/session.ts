import { failures } from '@sluice/protocol/failure-catalogue.ts'
import type { FailureCode } from '@sluice/protocol/failures.ts'
import type { Cents, TokenUnits } from '@sluice/protocol/money.ts'
import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { SessionChangeKind } from '../provider.ts'
import { errorCodeOf, failureCodeOfSandbox, type TestOutcome } from './test-cards.ts'

/** A session as the sandbox keeps it: it plays the card company, so what it knows lies in tables of its own. */
export type SandboxSession = {
  readonly id: string
  /** What the service calls it. */
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
  /** What the buyer was charged, the sandbox's fee included; absent while nothing was. */
  readonly sourceCents: Cents | undefined
  readonly redirectUrl: string
  readonly errorCode: string | undefined
  readonly requestId: string | undefined
  /** When an accepted bank payment is settled, or returned where `returnsAs` is set. */
  readonly settlesAt: UnixMs | undefined
  readonly returnsAs: FailureCode | undefined
  readonly transactionHash: string | undefined
}

/** A bank takes days; who tries it out takes this long. */
export const settlesAfterMs = 8_000

const feeBps = 150n

/** What the sandbox adds on the buyer's side: 1.5 %, rounded up to the cent. */
export function feeOf(due: Cents): Cents {
  return ((due * feeBps + 9_999n) / 10_000n) as Cents
}

/** Whether a payment may be made in a session: a declined one may be tried again, unless that never helps. */
export function takesPayment({ state, errorCode }: SandboxSession): boolean {
  if (state === 'opened') return true
  return state === 'failed' && failures[failureCodeOfSandbox(errorCode ?? null)].retry !== 'no'
}

/**
 * What becomes of a session by a payment; `undefined` where it takes none.
 *
 * @param requestId - The reference that the sandbox's support would ask for.
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

/** What becomes of a bank payment whose time has come: its money is there, or it came back. */
export function settle(session: SandboxSession, now: UnixMs): SandboxSession {
  const { returnsAs } = session
  const moved = { ...session, stateAt: now, settlesAt: undefined }
  return returnsAs === undefined
    ? { ...moved, state: 'accepted', requestId: undefined }
    : { ...moved, state: 'returned', errorCode: errorCodeOf(returnsAs) }
}

/** The session once its tokens were sent. */
export function markDelivered(session: SandboxSession, transactionHash: string, now: UnixMs): SandboxSession {
  return { ...session, state: 'settled', stateAt: now, transactionHash }
}
