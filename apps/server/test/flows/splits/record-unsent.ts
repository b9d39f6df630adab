import {
  priceOutgoing,
  recordTransaction,
  type TransactionNeeds,
} from '../../../src/chain/transactions/send.ts'
import type {
  OutgoingTransaction,
  TransactionOrder,
  TransactionSender,
} from '../../../src/chain/transactions/transaction.ts'
import { assert } from '../../../src/kernel/assert.ts'

export async function recordUnsent(
  needs: TransactionNeeds,
  sender: TransactionSender,
  order: TransactionOrder,
  givenNonce?: bigint,
): Promise<OutgoingTransaction> {
  const priced = await priceOutgoing(needs, sender, order)
  assert(priced.ok, 'the order would go through')
  const nonce = givenNonce ?? BigInt(await needs.chain.readNonce(sender.address, 'pending'))
  const own = await recordTransaction(needs, sender, order, { nonce, attempt: 0n, ...priced.price })
  assert(own, 'the nonce is free')
  return own
}
