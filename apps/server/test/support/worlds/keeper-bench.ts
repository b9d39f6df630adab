import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { TransactionKind } from '../../../src/chain/transactions/transaction.ts'
import type { Attempt } from '../../../src/payments/attempts/attempt.ts'
import { findReceipt } from '../../../src/receipts/store.ts'
import { listSplitTransactions } from '../../../src/split/ledger/list-transactions.ts'
import { findLedger } from '../../../src/split/ledger/store.ts'
import type { Split } from '../../../src/split/split.ts'
import { openTestAttempt, payAttempt, type WayToPay } from '../chain/pay-attempt.ts'
import { type ChainApi, type ChainOptions, startChainApi } from './chain-api.ts'

/** The service over a real chain, a buyer who has money, and what tests of the keeper look at again and again. */
export type KeeperBench = ChainApi & {
  /** An attempt over ten dollars, paid in a block of its own. */
  pay(split: Split, symbol: TokenSymbol, way: WayToPay): Promise<Attempt>
  statusOf(attempt: Attempt): Promise<string | undefined>
  /** For `drive`. */
  isReconciled(attempt: Attempt): () => Promise<boolean>
  ledgerOf(split: Split, token: Wallet): ReturnType<typeof findLedger>
  transactionsOf(merchant: Wallet): Promise<Awaited<ReturnType<typeof listSplitTransactions>>['transactions']>
  /** How many transactions of a kind were made, of those whose details name all of `parts`. */
  countSent(kind: TransactionKind, ...parts: readonly string[]): Promise<number>
}

/** Starts it. */
export async function startKeeperBench(options: ChainOptions = {}): Promise<KeeperBench> {
  const api = await startChainApi(options)
  const { needs, node } = api
  const [buyer] = node.accounts
  if (buyer) await node.fund(buyer.address)
  const statusOf = async ({ merchant, receiptId }: Attempt) =>
    (await findReceipt(needs.db, merchant, receiptId))?.status
  return {
    ...api,
    async pay(split, symbol, way) {
      const attempt = await openTestAttempt(api, split.merchant, symbol)
      await payAttempt(api, attempt, way)
      return attempt
    },
    statusOf,
    isReconciled: (attempt) => async () => (await statusOf(attempt)) === 'reconciled',
    ledgerOf: ({ merchant, chain, address }, token) =>
      findLedger(needs.db, { merchant, chain, split: address, token }),
    transactionsOf: async (merchant) => (await listSplitTransactions(needs, merchant, {})).transactions,
    async countSent(kind, ...parts) {
      const rows = await api.rows<{ detail: string }>(
        `SELECT detail::text AS detail FROM own_transaction WHERE kind = '${kind}'`,
      )
      return rows.filter(({ detail }) => parts.every((part) => detail.includes(part))).length
    },
  }
}
