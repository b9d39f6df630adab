import type { Chain, Hex } from '../chain.ts'
import { ChainUnavailable } from '../chain-time.ts'
import { askOne, type Endpoints, readAny, readRevert } from './agree.ts'
import type { Endpoint } from './endpoint.ts'
import { readQuantity, readValue } from './read-response.ts'
import { EndpointUnavailable, isRecord, type RpcResponse, toQuantity } from './rpc.ts'

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
        const response = await askOne(endpoint, 'eth_estimateGas', [request])
        const revert = readRevert(response)
        return revert
          ? { ok: false as const, data: revert }
          : { ok: true as const, gas: readValue(response, readQuantity) }
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
  // The base fee rises by at most an eighth per block: twice the base fee covers six full blocks.
  return { maxFeePerGas: 2n * baseFee + maxPriorityFeePerGas, maxPriorityFeePerGas }
}

async function sendRaw(endpoints: Endpoints, raw: Hex): Promise<void> {
  const results = await Promise.allSettled(
    endpoints.all.map((endpoint) => askOne(endpoint, 'eth_sendRawTransaction', [raw])),
  )
  const responses = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  if (responses.some((response) => response?.kind === 'value' || isKnownAlready(response))) return
  const rejections = new Set(
    responses.flatMap((response) => (response?.kind === 'error' ? [response.message] : [])),
  )
  if (rejections.size > 0)
    throw new ChainUnavailable(`The node rejected the transaction: ${[...rejections].join('; ')}`)
  throw new EndpointUnavailable('unreachable', 'no endpoint responds')
}

function isKnownAlready(response: RpcResponse | undefined): boolean {
  return (
    response?.kind === 'error' &&
    /already known|already imported|known transaction|nonce too low/i.test(response.message)
  )
}
