import { addMs } from '@sluice/protocol/time.ts'
import type { Chain, ChainHead } from '../../chain/chain.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { notifyJob } from '../../platform/database/notify.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Timings } from '../../platform/jobs/timings.ts'
import type { Log } from '../../platform/log.ts'
import { type RelayError, type RelayedPayment, textOfRelay } from './authorization.ts'
import { findUses, type RelayUse, readUsed } from './find-use.ts'
import { findRelayTransactions, type RelayTransaction, saveRelay } from './store.ts'

export type SettleRelayNeeds = {
  readonly db: Database
  readonly chain: Chain
  readonly clock: Clock
  readonly log: Log
  readonly timings: Timings
}

const patienceSeconds = 3_600n

/**
 * Updates signed payments from the chain, and returns those still to be sent.
 *
 * The token reports whether a nonce is used, and the log of the use identifies the transaction. A signature
 * that a third party submitted first therefore counts as mined.
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
    // A used permit or Permit2 nonce proves nothing: its owner may have used it for another purpose.
    const isSpent = used[i] === true && relay.way === 'authorization'
    const facts = { isUsed: isSpent, use: uses.get(relay), head, now: needs.clock.now() }
    const next = settle(relay, { ...facts, transactions: transactions.get(textOfRelay(relay)) ?? [] })
    if (next !== relay) await saveRelay(db, next)
    if (next.state !== relay.state) report(needs, next)
    if (next.state === 'waiting') unsent.push(next)
    if (next.state === 'mined' && relay.state !== 'mined') isAnyMined = true
  }
  if (isAnyMined) await notifyJob(needs, jobNames.scanTransfers)
  return unsent
}

type RelayFacts = {
  readonly isUsed: boolean
  readonly use: RelayUse | undefined
  readonly head: ChainHead
  readonly transactions: readonly RelayTransaction[]
  readonly now: RelayedPayment['createdAt']
}

export function settle(relay: RelayedPayment, facts: RelayFacts): RelayedPayment {
  const { isUsed, use, head, transactions, now } = facts
  const seconds = BigInt(Math.floor(head.latest.at / 1000))
  const fail = (reason: RelayError) => failed(relay, reason, now)
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

function failed(relay: RelayedPayment, reason: RelayError, now: RelayedPayment['createdAt']): RelayedPayment {
  return { ...relay, state: 'failed', reason, settledAt: now }
}

export async function failRelay(
  needs: Pick<SettleRelayNeeds, 'db' | 'clock' | 'log'>,
  relay: RelayedPayment,
  reason: RelayError,
): Promise<void> {
  const next = failed(relay, reason, needs.clock.now())
  await saveRelay(needs.db, next)
  report(needs, next)
}

export function report({ log }: Pick<SettleRelayNeeds, 'log'>, relay: RelayedPayment): void {
  const { merchant, receiptId, state, reason, txHash } = relay
  log.info({ merchant, receiptId, state, reason, hash: txHash }, 'the state of a signed payment changed')
}

/** A permit's nonce may have been used elsewhere without a trace, so the wait is short. */
const permitMs = 30_000

/**
 * Checks whether another party may have submitted the signature since the last check.
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
