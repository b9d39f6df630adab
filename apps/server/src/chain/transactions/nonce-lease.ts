import { holdLease } from '../../platform/jobs/lease.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import { StateLog } from '../../platform/state-log.ts'
import type { Hex } from '../chain.ts'
import { explainNoFactory } from '../validate-factory.ts'
import { broadcastTransaction, priceOutgoing, recordTransaction, type TransactionNeeds } from './send.ts'
import { settleOutgoing } from './settle.ts'
import { listOpenSenders } from './store.ts'
import {
  isTooDear,
  type OutgoingTransaction,
  type TransactionOrder,
  type TransactionSender,
} from './transaction.ts'

export type TransactionOutcome =
  | { readonly kind: 'sent'; readonly own: OutgoingTransaction }
  /** The target has no contract, so a transaction would only waste gas. Nothing was signed. */
  | { readonly kind: 'no-code' }
  /** The simulation reverts. Nothing was signed. */
  | { readonly kind: 'would-revert'; readonly data: Hex }
  /** The fee exceeds the order's limit. Nothing was signed. */
  | { readonly kind: 'too-dear' }
  /** Another process recorded this nonce first. Re-evaluate the remaining work. */
  | { readonly kind: 'outrun' }

/** Exclusive use of a sender's nonces, while the lease is held. */
export interface NonceLease {
  /** Signs, records and sends, in this order. A crash after the transaction is recorded loses nothing. */
  send(order: TransactionOrder): Promise<TransactionOutcome>
}

/**
 * Runs `work` with the lease on `sender`'s nonces, after its earlier transactions are settled.
 *
 * Returns `undefined` while another holder has the lease.
 *
 * @param holder - Unique per process and per job.
 */
export async function withNonces<T>(
  needs: TransactionNeeds,
  sender: TransactionSender,
  holder: string,
  work: (nonces: NonceLease) => Promise<T>,
): Promise<T | undefined> {
  return holdLease(needs, `sender:${needs.chain.id}:${sender.address}`, holder, async () => {
    let nonce = await settleOutgoing(needs, sender)
    return work({
      async send(order) {
        if (order.data !== '0x' && !(await hasCode(needs, order))) return { kind: 'no-code' }
        const priced = await priceOutgoing(needs, sender, order)
        if (!priced.ok) return { kind: 'would-revert', data: priced.data }
        if (isTooDear(order, priced.price)) return { kind: 'too-dear' }
        const own = await recordTransaction(needs, sender, order, { nonce, attempt: 0n, ...priced.price })
        if (!own) return { kind: 'outrun' }
        nonce++
        await broadcastTransaction(needs, own)
        return { kind: 'sent', own }
      },
    })
  })
}

async function hasCode({ chain, log }: TransactionNeeds, { kind, to }: TransactionOrder): Promise<boolean> {
  if ((await chain.readCode(to)) !== '0x') return true
  const message =
    to === chain.factory
      ? explainNoFactory(chain)
      : to === chain.pullFactory
        ? explainNoFactory(chain, 'pullFactory')
        : `There is no contract at ${to}`
  log.error({ kind, to }, `${message}; nothing was sent`)
  return false
}

/** Returns the job that follows pending transactions until they are mined, replaced or sent again. */
export function settleTransactionsJob(
  needs: TransactionNeeds,
  senders: readonly TransactionSender[],
  holder: string,
): Job {
  const name = jobNames.settleTransactions
  const own = { ...needs, states: new StateLog(needs.log) }
  return {
    name,
    everyMs: 1_000,
    async run() {
      const open = new Set(await listOpenSenders(needs.db, needs.chain.id))
      for (const sender of senders) {
        if (!open.has(sender.address)) continue
        await withNonces(own, sender, `${holder}:${name}`, async () => {})
      }
      return 'done'
    },
  }
}
