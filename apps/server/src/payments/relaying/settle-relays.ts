import { addMs } from '@sluice/protocol/time.ts'
import type { Chain, ChainHead } from '../../chain/chain.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { notifyJob } from '../../platform/database/notify.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Timings } from '../../platform/jobs/timings.ts'
import type { Log } from '../../platform/log.ts'
import { type RelayedPayment, type RelayFault, textOfRelay } from './authorization.ts'
import { findUses, type RelayUse, readUsed } from './find-use.ts'
import { findRelayTransactions, type RelayTransaction, saveRelay } from './store.ts'

/** What following up signed payments leans on. */
export type SettleRelayNeeds = {
  readonly db: Database
  readonly chain: Chain
  readonly clock: Clock
  readonly log: Log
  readonly timings: Timings
}

/** A nonce whose use cannot be found for so long after its end was not used for us. */
const patienceSeconds = 3_600n

/**
 * Brings signed payments and what the chain knows of them together, and answers those that are still to be sent.
 *
 * Whether a nonce is used is the token's word, what it was used for the transaction's: so a signature that a stranger
 * submitted first counts as mined, and our own transaction, which then reverts, as nothing.
 *
 * @throws {ChainUnavailable}
 */
export async function settleRelays(
  needs: SettleRelayNeeds,
  relays: readonly RelayedPayment[],
  head: ChainHead,
): Promise<RelayedPayment[]> {
  const { db, chain } = needs
  const used = await readUsed(chain, relays)
  const uses = await findUses(
    chain,
    relays.filter((_, i) => used[i]),
    head.latest.number,
  )
  const transactions = await findRelayTransactions(db, chain.id, relays.map(textOfRelay))
  const unsent: RelayedPayment[] = []
  let isAnyMined = false
  for (const [i, relay] of relays.entries()) {
    // A permit's nonce may have been used for anything; only its payment says that it was used for that. So may
    // Permit2's, by its owner.
    const isSpent = used[i] === true && relay.way === 'authorization'
    const facts = { isUsed: isSpent, use: uses.get(relay), head, now: needs.clock.now() }
    const next = settle(relay, { ...facts, transactions: transactions.get(textOfRelay(relay)) ?? [] })
    if (next !== relay) await saveRelay(db, next)
    if (next.state !== relay.state) tell(needs, next)
    if (next.state === 'waiting') unsent.push(next)
    if (next.state === 'mined' && relay.state !== 'mined') isAnyMined = true
  }
  if (isAnyMined) await notifyJob(db, jobNames.scanTransfers)
  return unsent
}

/** What is known of a signed payment when it is looked at. */
type RelayFacts = {
  readonly isUsed: boolean
  readonly use: RelayUse | undefined
  readonly head: ChainHead
  readonly transactions: readonly RelayTransaction[]
  readonly now: RelayedPayment['createdAt']
}

/** What a signed payment has become. Pure; the same object where nothing changed. */
export function settle(relay: RelayedPayment, facts: RelayFacts): RelayedPayment {
  const { isUsed, use, head, transactions, now } = facts
  const seconds = BigInt(Math.floor(head.latest.at / 1000))
  const fail = (reason: RelayFault) => failed(relay, reason, now)
  if (use?.kind === 'paid') {
    const isFinal = use.txBlock <= head.final.number
    const { txHash, txBlock } = use
    return {
      ...relay,
      state: 'mined',
      reason: undefined,
      txHash,
      txBlock,
      ...(isFinal && { settledAt: now }),
    }
  }
  if (use?.kind === 'elsewhere') return fail('authorization_used')
  if (isUsed) return seconds > relay.validBefore + patienceSeconds ? fail('authorization_used') : relay
  const live = transactions.findLast(({ state }) => state === 'signed' || state === 'mined')
  if (!live && transactions.some(({ state }) => state === 'reverted')) return fail('reverted')
  if (seconds >= relay.validBefore) return fail('authorization_expired')
  if (live) {
    const isSame = relay.state === 'sent' && relay.txHash === live.hash
    return isSame ? relay : { ...relay, state: 'sent', txHash: live.hash, txBlock: undefined }
  }
  return relay.state === 'waiting'
    ? relay
    : { ...relay, state: 'waiting', txHash: undefined, txBlock: undefined }
}

function failed(relay: RelayedPayment, reason: RelayFault, now: RelayedPayment['createdAt']): RelayedPayment {
  return { ...relay, state: 'failed', reason, settledAt: now }
}

/** Writes down that a signed payment brings nothing. */
export async function failRelay(
  needs: Pick<SettleRelayNeeds, 'db' | 'clock' | 'log'>,
  relay: RelayedPayment,
  reason: RelayFault,
): Promise<void> {
  const next = failed(relay, reason, needs.clock.now())
  await saveRelay(needs.db, next)
  tell(needs, next)
}

/** One line for each step; what failed at the buyer's side is no warning. */
export function tell({ log }: Pick<SettleRelayNeeds, 'log'>, relay: RelayedPayment): void {
  const { merchant, receiptId, state, reason, txHash } = relay
  log.info({ merchant, receiptId, state, reason, hash: txHash }, 'a signed payment changed its state')
}

/** A permit's nonce may have been used for something else, which leaves no trace: nobody waits for one longer. */
const permitMs = 30_000

/**
 * Whether a signed payment that is not to be sent any more may have been submitted by somebody else since it was looked
 * at: its receipt may be paid by this very signature. A later round then finds what it did.
 *
 * @throws {ChainUnavailable}
 */
export async function mayHavePaid(
  { chain, clock }: Pick<SettleRelayNeeds, 'chain' | 'clock'>,
  relay: RelayedPayment,
): Promise<boolean> {
  const [isUsed] = await readUsed(chain, [relay])
  return isUsed === true && (relay.way !== 'permit' || clock.now() < addMs(relay.createdAt, permitMs))
}
