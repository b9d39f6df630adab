import type { Block, BlockReceipts, BlockTransaction, ChainLog, TransactionReceipt } from '../chain.ts'
import type { Endpoint } from './endpoint.ts'
import { readBlockOrNull, readReceiptOrNull, readValue } from './read-response.ts'
import {
  blockCall,
  EndpointUnavailable,
  isCuredByLess,
  type RpcCall,
  type RpcResponse,
  toQuantity,
} from './rpc.ts'

/** Reads a block with one receipt per transaction, so that nothing is missing, unlike in a log list. */
export async function readReceipts(endpoint: Endpoint, number: bigint): Promise<BlockReceipts> {
  const receipts: TransactionReceipt[] = []
  const block = await walkReceipts(endpoint, number, (portion) => {
    for (const receipt of portion) receipts.push(receipt)
  })
  return { block, receipts }
}

/** Returns all logs of a block, in chain order. */
export function logsOf({ receipts }: BlockReceipts): ChainLog[] {
  return receipts.flatMap(({ logs }) => logs)
}

const transactionsPerPortion = 100

/**
 * Passes on the receipts of a block in ordered portions, each verified against its transaction and block.
 *
 * If the endpoint lacks `eth_getBlockReceipts` or the list is too large, fetches receipts one by one, in
 * shrinking batches.
 *
 * @throws {EndpointUnavailable}, also after some portions were passed on.
 */
export async function walkReceipts(
  endpoint: Endpoint,
  number: bigint,
  take: (receipts: readonly TransactionReceipt[]) => void,
): Promise<Block> {
  const { block, list } = await readBlockWithList(endpoint, number)
  if (list) {
    take(check(block, block.transactions, list))
    return block
  }
  const walk = async (transactions: readonly BlockTransaction[]): Promise<void> => {
    const half = transactions.length >> 1
    const portion = await readEach(endpoint, transactions).catch((error: unknown) => {
      if (half > 0 && isCuredByLess(error)) return undefined
      throw error
    })
    if (portion) return take(check(block, transactions, portion))
    await walk(transactions.slice(0, half))
    await walk(transactions.slice(half))
  }
  for (let at = 0; at < block.transactions.length; at += transactionsPerPortion)
    await walk(block.transactions.slice(at, at + transactionsPerPortion))
  return block
}

type Receipts = readonly (TransactionReceipt | undefined)[]

async function readBlockWithList(
  endpoint: Endpoint,
  number: bigint,
): Promise<{ block: Block; list: Receipts | undefined }> {
  const body = blockCall(number, true)
  const whole: RpcCall = { method: 'eth_getBlockReceipts', params: [toQuantity(number)] }
  const responses = await endpoint.ask([body, whole]).catch((error: unknown) => {
    if (isCuredByLess(error)) return endpoint.ask([body])
    throw error
  })
  const block = readValue(responses[0], readBlockOrNull)
  if (!block) throw new EndpointUnavailable('unreachable', `block ${number} is missing`)
  return { block, list: readList(responses[1]) }
}

function readList(response: RpcResponse | undefined): Receipts | undefined {
  if (response?.kind !== 'value' || !Array.isArray(response.value)) return undefined
  return response.value.map(readReceiptOrNull)
}

async function readEach(endpoint: Endpoint, transactions: readonly BlockTransaction[]): Promise<Receipts> {
  const responses = await endpoint.ask(
    transactions.map(({ hash }) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
  )
  return responses.map((response) => readValue(response, readReceiptOrNull))
}

function check(
  block: Block,
  transactions: readonly BlockTransaction[],
  receipts: Receipts,
): readonly TransactionReceipt[] {
  const isWhole =
    receipts.length === transactions.length &&
    receipts.every((receipt, i) => isOf(block, transactions[i], receipt))
  if (isWhole) return receipts as readonly TransactionReceipt[]
  throw new EndpointUnavailable(
    'malformed',
    `the receipts of block ${block.number} do not match its transactions`,
  )
}

function isOf(
  block: Block,
  transaction: BlockTransaction | undefined,
  receipt: TransactionReceipt | undefined,
): boolean {
  return (
    receipt !== undefined &&
    receipt.hash === transaction?.hash &&
    receipt.blockHash === block.hash &&
    receipt.logs.every((log) => log.blockHash === block.hash && log.transactionHash === receipt.hash)
  )
}
