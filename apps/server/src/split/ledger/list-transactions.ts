import type { SplitTransaction, SplitTransactionsQuery } from '@sluice/protocol/api/split.ts'
import { type TokenUnits, writeTokenAmount } from '@sluice/protocol/money.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { packedCursor, readPage } from '../../kernel/page.ts'
import { invalidInput } from '../../kernel/refusal.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { listSplitVersions } from '../find-split.ts'
import { partsOf } from '../parts.ts'
import type { Split } from '../split.ts'

/**
 * A page of what went through the merchant's splits for its receipts, newest first, from final blocks only.
 *
 * @param query.address - A split or a recipient of the merchant's; any other wallet has no transactions.
 * @throws {Refusal} `invalid_input` for what is no wallet, a limit outside 1–200, a cursor of another list.
 */
export async function listSplitTransactions(
  needs: { db: Database; chain: { id: number; tokens: readonly Token[] } },
  merchant: Wallet,
  query: SplitTransactionsQuery,
): Promise<{ transactions: SplitTransaction[]; nextCursor: string | null }> {
  const splits = new Map<string, Split>()
  const { page, nextCursor } = await readPage(query, cursor, async (before = endOfBlocks, count) => {
    const address = parseAddress(query.address)
    for (const split of await listSplitVersions(needs.db, merchant)) {
      if (!address || hasPart(split, address)) splits.set(split.address, split)
    }
    if (splits.size === 0) return []
    const { block_number: blockNumber, log_index: logIndex } = before
    const place = { splitAddress: [...splits.keys()], blockNumber, logIndex }
    return needs.db.rows<TransactionRow>(list({ merchant, id: needs.chain.id, ...place, limit: count }))
  })
  const transactions = page.flatMap((row) => {
    const split = splits.get(row.split_address)
    const token = needs.chain.tokens.find((each) => each.address === row.token_address)
    return split && token ? [viewTransaction(row, split, token)] : []
  })
  return { transactions, nextCursor }
}

type TransactionRow = {
  tx_hash: string
  log_index: bigint
  split_address: string
  token_address: string
  amount: bigint
  received_after: bigint
  receipt_id: string
  block_number: bigint
  block_at: bigint
  distributed_at: bigint | null
  held: Record<string, string> | null
}

function viewTransaction(row: TransactionRow, split: Split, token: Token): SplitTransaction {
  const { amount } = row
  const parts = partsOf({ amount, receivedAfter: row.received_after }, split.recipients)
  const fee = parts.find((part) => part.address === split.platformRecipient)?.units ?? 0n
  return {
    id: `${row.tx_hash}-${row.log_index}`,
    receiptId: row.receipt_id,
    amount: writeTokenAmount(amount as TokenUnits, token.decimals),
    amountRaw: amount.toString(),
    currency: token.symbol,
    status: row.distributed_at === null ? 'pending' : row.held ? 'held' : 'distributed',
    timestamp: new Date(Number(row.block_at)).toISOString(),
    transactionHash: row.tx_hash,
    fees: writeTokenAmount(fee as TokenUnits, token.decimals),
  }
}

function hasPart(split: Split, address: Wallet): boolean {
  return split.address === address || split.recipients.some((recipient) => recipient.address === address)
}

function parseAddress(text: string | undefined): Wallet | undefined {
  if (text === undefined) return undefined
  const address = parseWallet(text)
  if (!address)
    throw invalidInput({ path: 'address', message: 'must be 0x followed by 40 hexadecimal digits' })
  return address
}

/** A block and a log in it. */
type ListPlace = Pick<TransactionRow, 'block_number' | 'log_index'>

/** Where the list begins. */
const endOfBlocks: ListPlace = { block_number: 2n ** 62n, log_index: 0n }

const cursor = packedCursor<ListPlace>({
  write: (place) => `${place.block_number}:${place.log_index}`,
  parse(text) {
    const match = /^(\d{1,18}):(\d{1,18})$/.exec(text)
    if (!match?.[1] || !match[2]) return undefined
    return { block_number: BigInt(match[1]), log_index: BigInt(match[2]) }
  },
})

const list = statement({
  name: 'list-split-transactions',
  text: `SELECT tx_hash, log_index, split_address, token_address, amount, received_after, receipt_id, block_number,
      block_at, distributed_at, held
    FROM split_arrival
    WHERE merchant = :merchant AND chain = :id AND split_address = ANY(:splitAddress) AND (block_number,
      log_index) < (:blockNumber, :logIndex)
      AND receipt_id IS NOT NULL AND orphaned_at IS NULL
    ORDER BY block_number DESC, log_index DESC LIMIT :limit`,
})
