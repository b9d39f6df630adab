import type { Chain, Hex } from '../chain.ts'
import { ChainUnavailable } from '../chain-time.ts'
import { askOne, type Endpoints, readAny, readRevert } from './agree.ts'
import type { Endpoint } from './endpoint.ts'
import { readQuantity, readValue } from './read-answer.ts'
import { EndpointUnavailable, isRecord, type RpcAnswer, toQuantity } from './rpc.ts'

export function sending(
  endpoints: Endpoints,
): Pick<Chain, 'readNonce' | 'readFees' | 'estimateGas' | 'sendRaw'> {
  return {
    readNonce: (account, tag) =>
      readAny(endpoints, async (endpoint) =>
        Number(readValue(await askOne(endpoint, 'eth_getTransactionCount', [account, tag]), readQuantity)),
      ),
    readFees: () => readAny(endpoints, readFees),
    estimateGas: ({ value, ...call }) =>
      readAny(endpoints, async (endpoint) => {
        const request = value === undefined ? call : { ...call, value: toQuantity(value) }
        const answer = await askOne(endpoint, 'eth_estimateGas', [request])
        const revert = readRevert(answer)
        return revert
          ? { ok: false as const, data: revert }
          : { ok: true as const, gas: readValue(answer, readQuantity) }
      }),
    sendRaw: (raw) => sendRaw(endpoints, raw),
  }
}

async function readFees(endpoint: Endpoint) {
  const [block, tip] = await endpoint.ask([
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
    { method: 'eth_maxPriorityFeePerGas', params: [] },
  ])
  const baseFee = readValue(block, (value) => readQuantity(isRecord(value) ? value.baseFeePerGas : undefined))
  const maxPriorityFeePerGas = readValue(tip, readQuantity)
  // The base fee rises by at most an eighth per block: double the fee covers six full blocks.
  return { maxFeePerGas: 2n * baseFee + maxPriorityFeePerGas, maxPriorityFeePerGas }
}

async function sendRaw(endpoints: Endpoints, raw: Hex): Promise<void> {
  const results = await Promise.allSettled(
    endpoints.all.map((endpoint) => askOne(endpoint, 'eth_sendRawTransaction', [raw])),
  )
  const answers = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  if (answers.some((answer) => answer?.kind === 'value' || isKnownAlready(answer))) return
  const rejections = new Set(answers.flatMap((answer) => (answer?.kind === 'error' ? [answer.message] : [])))
  if (rejections.size > 0)
    throw new ChainUnavailable(`The node rejects the transaction: ${[...rejections].join('; ')}`)
  throw new EndpointUnavailable('unreachable', 'no endpoint answers')
}

function isKnownAlready(answer: RpcAnswer | undefined): boolean {
  return (
    answer?.kind === 'error' &&
    /already known|already imported|known transaction|nonce too low/i.test(answer.message)
  )
}
