import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import type { ChainHead } from '../../chain/chain.ts'
import { holdLease } from '../../platform/jobs/lease.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import { StateLog } from '../../platform/state-log.ts'
import { findTags } from '../cursors/store.ts'
import { type RelayedPayment, textOfRelay } from '../relaying/authorization.ts'
import { explainApiError } from '../relaying/find-use.ts'
import { evaluateToSend } from '../relaying/relay-payments.ts'
import { failRelay, mayHavePaid, type SettleRelayNeeds, settleRelays } from '../relaying/settle-relays.ts'
import { listOpenRelays, pruneRelays, saveRelay } from '../relaying/store.ts'
import type { Facilitator, FacilitatorWord } from './facilitator.ts'

const perRound = 20
const soonMs = 500
const keepFailedMs = 30 * 86_400_000

/**
 * Returns the job that submits signed payments through a facilitator and tracks them on the chain.
 *
 * A payment that the facilitator rejects at the first request fails. If its money arrives nevertheless, the
 * watcher credits the payment.
 */
export function facilitatePaymentsJob(
  needs: SettleRelayNeeds,
  facilitator: Facilitator,
  holder: string,
): Job {
  const { db, chain, clock } = needs
  const name = jobNames.relayPayments
  const asked = new Map<string, UnixMs>()
  const states = new StateLog(needs.log)
  return {
    name,
    everyMs: 2_000,
    async run() {
      const { final } = await findTags(db, chain.id)
      if ((await listOpenRelays(db, chain.id, final, 1)).length === 0) return 'done'
      await pruneRelays(db, chain.id, addMs(clock.now(), -keepFailedMs))
      const left = await holdLease(needs, `facilitator:${chain.id}`, `${holder}:${name}`, async () => {
        const head = await chain.readHead()
        const relays = await listOpenRelays(db, chain.id, head.final.number, perRound)
        const unsent = await settleRelays(needs, relays, head)
        for (const key of asked.keys())
          if (!unsent.some((each) => textOfRelay(each) === key)) asked.delete(key)
        const due = unsent.filter((each) => (asked.get(textOfRelay(each)) ?? 0) <= clock.now())
        for (const relay of due)
          asked.set(textOfRelay(relay), addMs(clock.now(), needs.timings.facilitatorRetryMs))
        await Promise.all(due.map((relay) => submit({ ...needs, states }, facilitator, relay, head)))
        return relays.length
      })
      return left === perRound ? 'again' : { wakeInMs: soonMs }
    },
  }
}

/**
 * Sends a payment to the facilitator. Records the attempt before the request.
 *
 * After one request without a clear result, the payment may be pending. A later rejection is then not final.
 */
async function submit(
  needs: SubmitNeeds,
  facilitator: Facilitator,
  relay: RelayedPayment,
  head: ChainHead,
): Promise<void> {
  const { chain, db } = needs
  const token = chain.tokens.find(({ address }) => address === relay.tokenAddress)
  const domain = token && (await facilitator.tokens.find(token))
  const error = domain ? await evaluateToSend(needs, relay, head) : 'token_not_supported'
  const wasAsked = relay.askedAt !== undefined
  if (error || !domain) {
    if (!wasAsked && !(await mayHavePaid(needs, relay)))
      await failRelay(needs, relay, error ?? 'token_not_supported')
    return
  }
  const asked = wasAsked ? relay : { ...relay, askedAt: needs.clock.now() }
  if (!wasAsked) await saveRelay(db, asked)
  const word = await facilitator.settle(relay, domain)
  if (word.kind === 'refused') {
    const reason = await explainApiError(chain, relay)
    needs.log.info({ said: word.reason, reason }, 'the facilitator rejected a signed payment')
    // A used nonce is already on the chain: a later round finds its result.
    if (!wasAsked && reason !== 'authorization_used') await failRelay(needs, asked, reason)
  } else await record(needs, asked, word)
}

type SubmitNeeds = SettleRelayNeeds & { readonly states: StateLog }

async function record(
  { db, states }: SubmitNeeds,
  relay: RelayedPayment,
  word: Exclude<FacilitatorWord, { kind: 'refused' }>,
): Promise<void> {
  if (word.kind === 'sent') {
    states.end('facilitator', 'the facilitator responds again')
    return saveRelay(db, { ...relay, txHash: word.transaction })
  }
  const message = 'the facilitator does not respond according to the protocol; signed payments wait'
  states.say('facilitator', word.detail, 'warn', { detail: word.detail }, message)
}
