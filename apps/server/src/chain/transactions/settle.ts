import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Chain, TransactionReceipt } from '../chain.ts'
import { broadcastTransaction, recordTransaction, type TransactionNeeds } from './send.ts'
import { listOpenOutgoing, reopenOutgoing, settleNonce } from './store.ts'
import {
  isTooDear,
  isTooLate,
  type OutgoingTransaction,
  type TransactionOrder,
  type TransactionSender,
} from './transaction.ts'

/** Age after which an unmined transaction is replaced with higher fees. */
export const stuckAfterMs = 45_000

/** Interval of rebroadcasts: a node may have dropped the bytes. */
const resendAfterMs = 10_000

/** Age at which a pending transaction counts as stuck: ten minutes. */
export const stuckAlertMs = 600_000

/** Maximum multiple of the current fees. Beyond it, the fee is not the cause of the delay. */
const highestFeeFactor = 10n
const fillGas = 30_000n

/**
 * Reconciles a sender's recorded transactions with the chain, and returns the next free nonce.
 *
 * Records mined and reverted transactions, rebroadcasts others, replaces stuck ones and fills nonce gaps.
 * Requires the sender's lease.
 */
export async function settleOutgoing(needs: TransactionNeeds, sender: TransactionSender): Promise<bigint> {
  const { db, chain, log } = needs
  const mined = BigInt(await chain.readNonce(sender.address, 'latest'))
  const reopened = await reopenOutgoing(db, chain.id, sender.address, mined)
  if (reopened > 0)
    log.warn(
      { sender: sender.address, count: reopened },
      'the chain dropped outgoing transactions; they were resent',
    )

  const open = new Map<bigint, OutgoingTransaction[]>()
  for (const own of await listOpenOutgoing(db, chain.id, sender.address)) {
    const attempts = open.get(own.nonce) ?? []
    open.set(own.nonce, [...attempts, own])
  }
  for (const [nonce, attempts] of open) {
    if (nonce < mined) await recordOutcome(needs, attempts)
    else await push(needs, sender, attempts, nonce === mined)
  }

  const last = [...open.keys()].reduce((highest, nonce) => (nonce > highest ? nonce : highest), -1n)
  const taken = BigInt(await chain.readNonce(sender.address, 'pending'))
  for (let nonce = taken > mined ? taken : mined; nonce < last; nonce++) {
    if (!open.has(nonce)) await fillGap(needs, sender, nonce)
  }
  return last + 1n > taken ? last + 1n : taken
}

async function recordOutcome(
  needs: TransactionNeeds,
  attempts: readonly OutgoingTransaction[],
): Promise<void> {
  const { db, chain, log } = needs
  const [first] = attempts
  if (!first) return
  needs.states?.end(`${first.sender} ${first.nonce}`, 'a stuck outgoing transaction has completed')
  let found: { own: OutgoingTransaction; receipt: TransactionReceipt } | undefined
  const receipts = await chain.findReceipts(attempts.map(({ hash }) => hash))
  for (const [i, own] of attempts.entries()) {
    const receipt = receipts[i]
    if (receipt) found = { own, receipt }
  }
  if (!found) {
    log.warn(
      { sender: first.sender, nonce: first.nonce.toString() },
      'another transaction used the nonce of an outgoing transaction',
    )
    return settleNonce(db, first, undefined)
  }
  const { own, receipt } = found
  // Every order emits an event if it has an effect.
  const hadEffect = receipt.isSuccess && (own.kind === 'fill' || receipt.logs.length > 0)
  if (!receipt.isSuccess) log.error({ hash: own.hash, kind: own.kind }, 'an outgoing transaction reverted')
  else if (!hadEffect)
    log.error(
      { hash: own.hash, kind: own.kind, to: own.to },
      'an outgoing transaction was mined without any effect',
    )
  await settleNonce(db, first, {
    attempt: own.attempt,
    isSuccess: receipt.isSuccess,
    hadEffect,
    block: receipt.blockNumber,
    fee: receipt.fee,
  })
}

/**
 * Rebroadcasts a nonce's newest attempt. Replaces it if it is stuck, whether or not a node accepted it.
 *
 * @param isNext - No lower nonce is unmined. Only then does a higher fee help.
 */
async function push(
  needs: TransactionNeeds,
  sender: TransactionSender,
  attempts: readonly OutgoingTransaction[],
  isNext: boolean,
): Promise<void> {
  const newest = attempts.at(-1)
  if (!newest) return
  if (isTooLate(newest, needs.chain.time.now())) return giveUp(needs, sender, newest)
  const now = needs.clock.now()
  const isUnsent = newest.sentAt === undefined
  const isDue = isUnsent || Math.abs(now - newest.sentAt) >= resendAfterMs
  const rejection = isDue ? await broadcastTransaction(needs, newest) : undefined
  if (!isNext) return
  alertIfStuck(needs, attempts, rejection)
  // Bytes that a crash or a reorg left unsent may be mined unchanged.
  if (Math.abs(now - newest.createdAt) < stuckAfterMs || (isUnsent && !rejection)) return
  const fees = await needs.chain.readFees()
  const isHigh =
    newest.maxFeePerGas >= highestFeeFactor * fees.maxFeePerGas &&
    newest.maxPriorityFeePerGas >= fees.maxPriorityFeePerGas
  const terms = raiseTerms(newest, fees)
  // A replacement that would exceed the fee limit waits for lower fees.
  if (isHigh || isTooDear(newest, terms)) return
  const replacement = await recordTransaction(needs, sender, newest, terms)
  if (replacement) await broadcastTransaction(needs, replacement)
}

/** Alerts once per process, with the node's reason if the node rejects the newest attempt. */
function alertIfStuck(
  { clock, states }: TransactionNeeds,
  attempts: readonly OutgoingTransaction[],
  rejection: string | undefined,
): void {
  const [first] = attempts
  if (!first || Math.abs(clock.now() - first.createdAt) < stuckAlertMs) return
  const { sender, kind, hash } = first
  const nonce = first.nonce.toString()
  const reason = rejection ?? 'accepted by a node, but not in any block'
  const fields = { alert: 'transaction-stuck', sender, nonce, kind, hash, attempts: attempts.length, reason }
  const message = 'an outgoing transaction is not in any block; transactions with higher nonces wait for it'
  states?.say(`${sender} ${nonce}`, 'stuck', 'error', fields, message)
}

/** Replaces a transaction that can only revert with an empty transfer, which costs less gas. */
async function giveUp(
  needs: TransactionNeeds,
  sender: TransactionSender,
  late: OutgoingTransaction,
): Promise<void> {
  const terms = { ...raiseTerms(late, await needs.chain.readFees()), gas: fillGas }
  const order = { ...fillOrder(sender.address), detail: { insteadOf: late.kind } }
  const own = await recordTransaction(needs, sender, order, terms)
  if (own) await broadcastTransaction(needs, own)
}

/** Nodes accept a replacement only if both fees rise by at least a tenth. */
function raiseTerms(stuck: OutgoingTransaction, fees: Awaited<ReturnType<Chain['readFees']>>) {
  const raise = (old: bigint, now: bigint) => {
    const least = old + old / 8n + 1n
    return now > least ? now : least
  }
  return {
    nonce: stuck.nonce,
    attempt: stuck.attempt + 1n,
    gas: stuck.gas,
    maxFeePerGas: raise(stuck.maxFeePerGas, fees.maxFeePerGas),
    maxPriorityFeePerGas: raise(stuck.maxPriorityFeePerGas, fees.maxPriorityFeePerGas),
  }
}

/** Fills a missing nonce with an empty transfer, because no higher nonce can be mined before it. */
async function fillGap(needs: TransactionNeeds, sender: TransactionSender, nonce: bigint): Promise<void> {
  const order = fillOrder(sender.address)
  const fees = await needs.chain.readFees()
  const own = await recordTransaction(needs, sender, order, { nonce, attempt: 0n, gas: fillGas, ...fees })
  if (own) await broadcastTransaction(needs, own)
}

function fillOrder(to: Wallet): TransactionOrder {
  return { kind: 'fill', detail: {}, to, data: '0x' }
}
