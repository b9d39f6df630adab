import type { Block, BlockReceipts, ChainLog, TransactionReceipt } from '../chain.ts'
import type { Endpoint } from './endpoint.ts'
import { readBlockOrNull, readReceiptOrNull, readValue } from './read-answer.ts'
import { blockCall, toQuantity } from './read-range.ts'
import { EndpointUnavailable, type RpcAnswer } from './rpc.ts'

/**
 * All that happened in a block, from one endpoint: its transactions' receipts, one for each, so that nothing can
 * be left out as a list of logs may be. Endpoints without `eth_getBlockReceipts` are asked for each by itself.
 */
export async function readReceipts(endpoint: Endpoint, number: bigint): Promise<BlockReceipts> {
  const [body, list] = await endpoint.ask([
    blockCall(number, true),
    { method: 'eth_getBlockReceipts', params: [toQuantity(number)] },
  ])
  const block = readValue(body, readBlockOrNull)
  if (!block) throw new EndpointUnavailable('unreachable', `block ${number} is missing`)
  const receipts = readList(list) ?? (await readEach(endpoint, block))
  const isWhole =
    receipts.length === block.transactions.length &&
    receipts.every(
      (receipt, i) => receipt?.hash === block.transactions[i]?.hash && receipt?.blockHash === block.hash,
    )
  if (!isWhole)
    throw new EndpointUnavailable(
      'malformed',
      `the receipts of block ${number} do not match its transactions`,
    )
  return { block, receipts: receipts as TransactionReceipt[] }
}

/** The logs of a block, in the order of the chain. */
export function logsOf({ receipts }: BlockReceipts): ChainLog[] {
  return receipts.flatMap(({ logs }) => logs)
}

function readList(answer: RpcAnswer | undefined): (TransactionReceipt | undefined)[] | undefined {
  if (answer?.kind !== 'value' || !Array.isArray(answer.value)) return undefined
  return answer.value.map(readReceiptOrNull)
}

async function readEach(endpoint: Endpoint, block: Block): Promise<(TransactionReceipt | undefined)[]> {
  const answers = await endpoint.ask(
    block.transactions.map(({ hash }) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
  )
  return answers.map((answer) => readValue(answer, readReceiptOrNull))
}
