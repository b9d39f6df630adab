import type { OnrampView } from '@sluice/protocol/api/paying/onramp.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { ApiError, invalidInput } from '../../kernel/api-error.ts'
import { assert } from '../../kernel/assert.ts'
import { generateId } from '../../kernel/generate-id.ts'
import type { OnrampProvider, OpenOutcome, SessionChange, SessionOrder } from '../../onramp/provider.ts'
import type { Providers } from '../../onramp/registry.ts'
import type { Database } from '../../platform/database/database.ts'
import { notifyJob } from '../../platform/database/notify.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import { shortPaymentUrl } from '../../receipts/payment-url.ts'
import type { Receipt } from '../../receipts/receipt.ts'
import { recordProgress } from '../../receipts/record-progress.ts'
import { findReceipt, lockReceipt } from '../../receipts/store.ts'
import { findBaseUrl } from '../../site/find-brand.ts'
import type { Attempt } from '../attempts/attempt.ts'
import { isBarred, narrowLimits, type OnrampLimits } from '../checkout/find-checkout.ts'
import { type OpenAttemptNeeds, prepareAttempt, refuseOutsideLimits } from '../checkout/open-attempt.ts'
import { openOffer } from '../checkout/open-offer.ts'
import { applyReport, nextLook } from './apply-report.ts'
import { callProvider, describeError } from './call-provider.ts'
import type { OnrampSession } from './session.ts'
import { insertSession, listSessions, saveSession } from './store.ts'

export type OpenSessionNeeds = OpenAttemptNeeds & {
  readonly onramp: Providers
  readonly onrampLimits: OnrampLimits
  readonly baseUrl: string
}

const maxSessions = 25
const asset = 'USDC'

/**
 * Opens a session at the provider, or returns the session that is already open. Safe to repeat, concurrently
 * and after a crash at any point: the stored reference is the idempotency key of the call.
 *
 * @throws {ApiError} as `openAttempt`; `invalid_input` also if no provider is configured, if a failure bars
 * the receipt, and if the provider rejects the payment. The receipt then fails with the provider's code.
 * @throws {ProviderUnavailable} The call may be repeated: the next call reuses the stored session.
 */
export async function openSession(
  needs: OpenSessionNeeds,
  receipt: Receipt,
  clientAddress: string,
): Promise<OnrampView> {
  const provider = needs.onramp.current
  if (!provider)
    throw invalidInput({ path: '', message: 'Card and bank payments are not available on this service' })
  if (isBarred(receipt))
    throw invalidInput({ path: '', message: 'This receipt can no longer be paid by card or bank' })
  const prepared = await prepareAttempt(needs, receipt, { token: asset }, 'buyer', clientAddress)
  await refuseOutsideLimits(needs, receipt, narrowLimits(provider, needs.onrampLimits), 'buyer')

  const offer = { ...prepared, provider: provider.name }
  const { attempt, session } = await needs.db.transaction(async (tx) => {
    const opened = await openOffer({ ...needs, tx }, receipt, offer)
    return {
      ...opened,
      session: await findOrInsert({ ...needs, tx }, provider, opened.attempt, clientAddress),
    }
  })
  if (session.sessionId !== undefined && session.hostedUrl !== undefined) return view(session, attempt)
  const baseUrl = await findBaseUrl(needs.db, receipt.brandKey, needs.baseUrl)
  const order = orderOf({ baseUrl }, receipt, attempt, session)
  const outcome = await callProvider(needs, (call) => provider.openSession(order, call))
  if (outcome.kind === 'refused') return failRefused(needs, provider, session, outcome)
  return view(await saveOpened(needs, session, outcome), attempt)
}

async function findOrInsert(
  { tx, clock, random }: OpenSessionNeeds & { tx: Database },
  provider: OnrampProvider,
  { merchant, receiptId, id: attemptId }: Attempt,
  clientAddress: string,
): Promise<OnrampSession> {
  const sessions = await listSessions(tx, merchant, receiptId)
  const standing = sessions.find((each) => each.attemptId === attemptId)
  if (standing) return standing
  if (sessions.length >= maxSessions)
    throw invalidInput({ path: '', message: 'Too many card payments were started for this receipt' })
  const now = clock.now()
  const session: OnrampSession = {
    merchant,
    reference: generateId(now, random),
    receiptId,
    attemptId,
    provider: provider.name,
    sessionId: undefined,
    hostedUrl: undefined,
    clientAddress,
    state: 'opening',
    changedAt: now,
    error: undefined,
    source: undefined,
    transactionHash: undefined,
    openedAt: now,
  }
  await insertSession(tx, session)
  return session
}

/**
 * Contains only values that are fixed while the attempt is open: requests with the same idempotency key must
 * have the same parameters.
 */
function orderOf(
  { baseUrl }: { readonly baseUrl: string },
  receipt: Receipt,
  { amount, dueCents, chain, token, depositAddress }: Attempt,
  { reference, clientAddress }: OnrampSession,
): SessionOrder {
  const { redirectUrl, providerEmail, billing } = receipt
  return {
    reference,
    amount: { asset, units: amount, decimals: token.decimals },
    dueCents,
    chainId: chain,
    tokenAddress: token.address,
    depositAddress,
    redirectUrl: redirectUrl ?? backUrl(baseUrl, receipt),
    email: providerEmail ?? billing?.email,
    billing,
    clientAddress,
  }
}

function backUrl(baseUrl: string, receipt: Receipt): string {
  const url = new URL(shortPaymentUrl(baseUrl, receipt))
  url.searchParams.set('onramp', 'back')
  return url.href
}

async function saveOpened(
  needs: OpenSessionNeeds,
  { merchant, receiptId, reference, attemptId, provider }: OnrampSession,
  { sessionId, hostedUrl }: Extract<OpenOutcome, { kind: 'opened' }>,
): Promise<OnrampSession> {
  return needs.db.transaction(async (tx) => {
    const detail = { provider, providerSessionId: sessionId, attemptId }
    const receipt = await lockReceipt(tx, merchant, receiptId)
    const found = (await listSessions(tx, merchant, receiptId)).find((each) => each.reference === reference)
    assert(found, 'a session is never deleted')
    assert(
      found.sessionId === undefined || found.sessionId === sessionId,
      'a reference identifies one session',
    )
    if (found.hostedUrl !== undefined) return found
    const isNew = found.state === 'opening'
    const session: OnrampSession = {
      ...found,
      sessionId,
      hostedUrl,
      ...(isNew && { state: 'opened', changedAt: found.openedAt }),
    }
    await saveSession(tx, session, nextLook(needs.clock.now(), session))
    await recordProgress({ ...needs, tx }, merchant, receiptId, {
      ...(!receipt?.providerSession?.isPaid && {
        providerSession: { provider, sessionId, sourceCents: session.source?.cents, isPaid: false },
      }),
      entries: [{ kind: 'provider_session_opened', detail }],
    })
    return session
  })
}

async function failRefused(
  needs: OpenSessionNeeds,
  provider: OnrampProvider,
  session: OnrampSession,
  { error }: Extract<OpenOutcome, { kind: 'refused' }>,
): Promise<never> {
  const at = needs.clock.now() as UnixMs
  const change: SessionChange = {
    kind: 'failed',
    at,
    error,
    sourceCents: undefined,
    transactionHash: undefined,
  }
  const { reference } = session
  const report = { sessionId: undefined, reference, change }
  const came = await needs.db.transaction((tx) => applyReport({ ...needs, tx }, provider, report, 'call'))
  if (came === 'moved') await notifyJob(needs, jobNames.deliverWebhooks)
  const after = await findReceipt(needs.db, session.merchant, session.receiptId)
  const failure = after?.failure ?? describeError(provider, error)
  const code = failure.failureCategory === 'limits' ? 'invalid_amount' : 'invalid_input'
  throw new ApiError(code, failure.failureReason ?? 'The payment provider rejected this payment', failure)
}

function view({ provider, sessionId, hostedUrl }: OnrampSession, { id, amount }: Attempt): OnrampView {
  assert(sessionId !== undefined && hostedUrl !== undefined, 'the session was opened before')
  return { provider, providerSessionId: sessionId, url: hostedUrl, attemptId: id, amount: amount.toString() }
}
