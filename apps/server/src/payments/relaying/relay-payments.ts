import { addMs } from '@sluice/protocol/time.ts'
import type { ChainHead } from '../../chain/chain.ts'
import { type NonceLease, withNonces } from '../../chain/transactions/nonce-lease.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import { customerTotalCents } from '../../receipts/receipt.ts'
import { findReceipt } from '../../receipts/store.ts'
import { listAttempts } from '../attempts/store.ts'
import { findTags } from '../cursors/store.ts'
import { askedUnits } from '../ledger/evaluate-payment.ts'
import { sumLivePayments } from '../ledger/store.ts'
import type { RelayError, RelayedPayment } from './authorization.ts'
import { explainApiError } from './find-use.ts'
import { relayOrder } from './relay-call.ts'
import type { Relayer } from './relayer.ts'
import { failRelay, mayHavePaid, report, type SettleRelayNeeds, settleRelays } from './settle-relays.ts'
import { listOpenRelays, pruneRelays, saveRelay, sumRelayFees } from './store.ts'
import { evaluateReceipt, leastLeftToSendSeconds } from './validate-authorization.ts'

const perRound = 100
const soonMs = 500
const unexplainedMs = 30_000
const dayMs = 86_400_000
const keepFailedMs = 30 * dayMs

/**
 * Returns the job that submits signed payments and tracks them until they are final.
 *
 * Each transaction is stored before it is sent. After a crash, the same bytes are sent again, so a payment
 * never has two transactions. A signature is not sent if its receipt was paid in another way.
 */
export function relayPaymentsJob(needs: SettleRelayNeeds, relayer: Relayer, holder: string): Job {
  const { db, chain, clock } = needs
  const name = jobNames.relayPayments
  return {
    name,
    everyMs: 2_000,
    async run() {
      await relayer.readState()
      const { final } = await findTags(db, chain.id)
      if ((await listOpenRelays(db, chain.id, final, 1)).length === 0) return 'done'
      await pruneRelays(db, chain.id, addMs(clock.now(), -keepFailedMs))
      const isMore = await withNonces(needs, relayer.sender, `${holder}:${name}`, async (nonces) => {
        const head = await chain.readHead()
        const relays = await listOpenRelays(db, chain.id, head.final.number, perRound)
        const unsent = await settleRelays(needs, relays, head)
        await sendAll(needs, relayer, nonces, unsent, head)
        return relays.length === perRound
      })
      return isMore ? 'again' : { wakeInMs: soonMs }
    },
  }
}

async function sendAll(
  needs: SettleRelayNeeds,
  relayer: Relayer,
  nonces: NonceLease,
  relays: readonly RelayedPayment[],
  head: ChainHead,
): Promise<void> {
  const { db, chain, clock } = needs
  let spent = await sumRelayFees(db, chain.id, addMs(clock.now(), -dayMs))
  for (const relay of relays) {
    const error =
      (await evaluateToSend(needs, relay, head)) ??
      ((await relayer.readState(relay.way)).error || spent > relayer.terms.dailyMax
        ? 'relayer_unavailable'
        : undefined)
    if (error) {
      if (!(await mayHavePaid(needs, relay))) await failRelay(needs, relay, error)
      continue
    }
    const outcome = await nonces.send(relayOrder(chain, relay, relayer.terms.maxFee))
    if (outcome.kind === 'outrun') return
    if (outcome.kind === 'sent') {
      const { own } = outcome
      spent += own.gas * own.maxFeePerGas
      const next = { ...relay, state: 'sent', txHash: own.hash } as const
      await saveRelay(db, next)
      report(needs, next)
    } else if (outcome.kind === 'would-revert') {
      const reason = await explainApiError(chain, relay)
      // Another party may have submitted the signature, and its transaction may be in the mempool. A later
      // round finds the result.
      const mayBeUsed = reason === 'authorization_used' || reason === 'transfer_rejected'
      if (!mayBeUsed || clock.now() >= addMs(relay.createdAt, unexplainedMs))
        await failRelay(needs, relay, reason)
    } else
      await failRelay(needs, relay, outcome.kind === 'too-dear' ? 'gas_too_expensive' : 'token_not_supported')
  }
}

export async function evaluateToSend(
  { db, chain }: SettleRelayNeeds,
  { merchant, receiptId, attemptId, amount, validBefore }: RelayedPayment,
  head: ChainHead,
): Promise<RelayError | undefined> {
  const now = chain.time.now()
  const newest = BigInt(Math.floor(Math.max(now, head.latest.at) / 1000))
  if (validBefore < newest + leastLeftToSendSeconds) return 'authorization_expired'
  const receipt = await findReceipt(db, merchant, receiptId)
  if (!receipt) return 'attempt_unknown'
  const attempt = (await listAttempts(db, merchant, receiptId)).find(({ id }) => id === attemptId)
  const live = await sumLivePayments(db, merchant, receiptId)
  const total = customerTotalCents(receipt)
  return evaluateReceipt(receipt, attempt, {
    value: amount,
    remaining: (each) => askedUnits(total, live, each),
    // The minimum may have been raised after the signature was accepted.
    minCents: total,
    now,
  })
}
