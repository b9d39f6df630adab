import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Timings } from '../../platform/jobs/timings.ts'
import type { Log } from '../../platform/log.ts'
import { StateLog } from '../../platform/state-log.ts'
import type { Chain, Hex } from '../chain.ts'
import { insertOutgoing, markOutgoingSent } from './store.ts'
import type {
  OutgoingTransaction,
  TransactionOrder,
  TransactionSender,
  TransactionTerms,
} from './transaction.ts'

/** Dependencies of outgoing transactions. `states` logs each problem once. */
export type TransactionNeeds = {
  readonly db: Database
  readonly chain: Chain
  readonly clock: Clock
  readonly log: Log
  readonly timings: Timings
  readonly states?: StateLog
}

/**
 * Signs an order and records the bytes. Sends nothing.
 *
 * If the nonce was taken in the meantime, discards the bytes and returns `undefined`: two processes never
 * send competing transactions with one nonce.
 */
export async function recordTransaction(
  needs: TransactionNeeds,
  sender: TransactionSender,
  order: TransactionOrder,
  terms: TransactionTerms,
): Promise<OutgoingTransaction | undefined> {
  const { chain } = needs
  const own: OutgoingTransaction = {
    ...order,
    ...terms,
    ...(await sender.sign(chain.id, order, terms)),
    chain: chain.id,
    sender: sender.address,
    state: 'signed',
    createdAt: needs.clock.now(),
    sentAt: undefined,
    minedBlock: undefined,
  }
  return (await insertOutgoing(needs.db, own)) ? own : undefined
}

/**
 * Broadcasts recorded bytes and records the broadcast. Safe to repeat.
 *
 * The next settlement of the sender retries a rejected transaction.
 *
 * @returns The reason for the rejection, or `undefined` if a node accepted the bytes.
 */
export async function broadcastTransaction(
  needs: TransactionNeeds,
  own: OutgoingTransaction,
): Promise<string | undefined> {
  try {
    await needs.chain.sendRaw(own.raw)
  } catch (error) {
    const states = needs.states ?? new StateLog(needs.log)
    const fields = { err: error, hash: own.hash, kind: own.kind }
    const message = 'an outgoing transaction was not accepted; it will be sent again'
    states.say(own.hash, 'not taken', 'warn', fields, message)
    return error instanceof Error ? error.message : String(error)
  }
  needs.states?.end(own.hash, 'an outgoing transaction was accepted on a retry', { hash: own.hash })
  await markOutgoingSent(needs.db, own, needs.clock.now())
  return undefined
}

export async function priceOutgoing(
  needs: TransactionNeeds,
  sender: TransactionSender,
  order: TransactionOrder,
): Promise<{ ok: true; price: Omit<TransactionTerms, 'nonce' | 'attempt'> } | { ok: false; data: Hex }> {
  const { to, data } = order
  const estimate = await needs.chain.estimateGas({ from: sender.address, to, data })
  if (!estimate.ok) return estimate
  const fees = await needs.chain.readFees()
  // With too little gas, the contracts revert rather than blame a recipient, so the limit is generous.
  return { ok: true, price: { gas: (estimate.gas * 13n) / 10n + 20_000n, ...fees } }
}
