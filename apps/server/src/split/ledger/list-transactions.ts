import type { SplitTransaction, SplitTransactionsQuery } from '@sluice/protocol/api/split.ts'
import { type TokenUnits, writeTokenAmount } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import { invalidInput } from '../../kernel/api-error.ts'
import { packedCursor, readPage } from '../../kernel/page.ts'
import { int8, json, numeric, optional, type Parts, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { listSplitVersions } from '../find-split.ts'
import { partsOf, type Split } from '../split.ts'

/**
 * Lists arrivals for the merchant's receipts, newest first, from final blocks only.
 *
 * @param query.address - A split or a recipient of the merchant. For any other wallet, the list is empty.
 * @throws {ApiError} `invalid_input` for an invalid wallet, limit (1–200) or cursor.
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
    const place = { ...before, splitAddress: [...splits.keys()] }
    return needs.db.rows(list({ merchant, id: needs.chain.id, ...place, limit: count }))
  })
  const transactions = page.flatMap((row) => {
    const split = splits.get(row.splitAddress)
    const token = needs.chain.tokens.find((each) => each.address === row.tokenAddress)
    return split && token ? [viewTransaction(row, split, token)] : []
  })
  return { transactions, nextCursor }
}

type Arrival = {
  readonly txHash: Hex
  readonly logIndex: bigint
  readonly splitAddress: Wallet
  readonly tokenAddress: Wallet
  readonly amount: TokenUnits
  readonly receivedAfter: TokenUnits
  readonly receiptId: ReceiptId
  readonly blockNumber: bigint
  readonly blockAt: UnixMs
  readonly distributedAt: UnixMs | undefined
  readonly held: Record<string, string> | undefined
}

function viewTransaction(arrival: Arrival, split: Split, token: Token): SplitTransaction {
  const { txHash, logIndex, receiptId, amount, receivedAfter, distributedAt, held } = arrival
  const parts = partsOf({ amount, receivedAfter }, split.recipients)
  const fee = parts.find((part) => part.address === split.platformRecipient)?.units ?? 0n
  return {
    id: `${txHash}-${logIndex}`,
    receiptId,
    amount: writeTokenAmount(amount, token.decimals),
    amountRaw: amount.toString(),
    currency: token.symbol,
    status: distributedAt === undefined ? 'pending' : held ? 'held' : 'distributed',
    timestamp: new Date(arrival.blockAt).toISOString(),
    transactionHash: txHash,
    fees: writeTokenAmount(fee as TokenUnits, token.decimals),
  }
}

function hasPart(split: Split, address: Wallet): boolean {
  return split.address === address || split.recipients.some((recipient) => recipient.address === address)
}

function parseAddress(sent: string | undefined): Wallet | undefined {
  if (sent === undefined) return undefined
  const address = parseWallet(sent)
  if (!address)
    throw invalidInput({ path: 'address', message: 'must be 0x followed by 40 hexadecimal digits' })
  return address
}

type ListPlace = Pick<Arrival, 'blockNumber' | 'logIndex'>

const endOfBlocks: ListPlace = { blockNumber: 2n ** 62n, logIndex: 0n }

const cursor = packedCursor<ListPlace>({
  write: ({ blockNumber, logIndex }) => `${blockNumber}:${logIndex}`,
  parse(packed) {
    const match = /^(\d{1,18}):(\d{1,18})$/.exec(packed)
    if (!match?.[1] || !match[2]) return undefined
    return { blockNumber: BigInt(match[1]), logIndex: BigInt(match[2]) }
  },
})

const storedArrival: Parts<Arrival> = {
  txHash: text(),
  logIndex: int8(),
  splitAddress: text(),
  tokenAddress: text(),
  amount: numeric(),
  receivedAfter: numeric(),
  receiptId: text(),
  blockNumber: int8(),
  blockAt: time(),
  distributedAt: optional(time()),
  held: optional(json()),
}

const list = statement({
  name: 'list-split-transactions',
  text: `SELECT tx_hash, log_index, split_address, token_address, amount, received_after, receipt_id, block_number,
      block_at, distributed_at, held
    FROM split_arrival
    WHERE merchant = :merchant AND chain = :id AND split_address = ANY(:splitAddress) AND (block_number,
      log_index) < (:blockNumber, :logIndex)
      AND receipt_id IS NOT NULL AND receipt_id NOT LIKE 'deposit %' AND orphaned_at IS NULL
    ORDER BY block_number DESC, log_index DESC LIMIT :limit`,
  reads: storedArrival,
})
