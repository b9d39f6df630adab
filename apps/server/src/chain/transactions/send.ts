import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Timings } from '../../platform/jobs/timings.ts'
import type { Log } from '../../platform/log.ts'
import { StateLog } from '../../platform/state-log.ts'
import type { Chain, Hex } from '../chain.ts'
import { insertOwn, markOwnSent } from './store.ts'
import type {
  OutgoingTransaction,
  TransactionOrder,
  TransactionSender,
  TransactionTerms,
} from './transaction.ts'

/** What sending transactions of our own leans on. */
export type TransactionNeeds = {
  readonly db: Database
  readonly chain: Chain
  readonly clock: Clock
  readonly log: Log
  readonly timings: Timings
  /** Of a job that comes by the same transactions again and again. */
  readonly states?: StateLog
}

/**
 * Signs an order and writes the bytes down. Nothing is sent yet.
 *
 * `undefined` where the nonce was taken meanwhile: the bytes are thrown away unseen, so two processes never
 * send two transactions of one nonce that both would have liked to be mined.
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
  return (await insertOwn(needs.db, own)) ? own : undefined
}

/**
 * Gives written bytes to the chain and notes it. Safe to repeat. What the chain does not take stays written
 * and is tried again when the sender's transactions are settled next.
 *
 * @returns Why no node accepted them; `undefined` if a node did.
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
  needs.states?.end(own.hash, 'an outgoing transaction was accepted after all', { hash: own.hash })
  await markOwnSent(needs.db, own, needs.clock.now())
  return undefined
}

/** The terms an order is signed on: the gas it needs with a margin, at today's fees. */
export async function priceOwn(
  needs: TransactionNeeds,
  sender: TransactionSender,
  order: TransactionOrder,
): Promise<{ ok: true; price: Omit<TransactionTerms, 'nonce' | 'attempt'> } | { ok: false; data: Hex }> {
  const { to, data } = order
  const estimate = await needs.chain.estimateGas({ from: sender.address, to, data })
  if (!estimate.ok) return estimate
  const fees = await needs.chain.readFees()
  // The contracts refuse to run on too little gas rather than blame a recipient: be generous.
  return { ok: true, price: { gas: (estimate.gas * 13n) / 10n + 20_000n, ...fees } }
}
