import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { CallOutcome, Chain, Hex } from '../chain.ts'
import { askOne, type Endpoints, readAgreed, readAny, readRevert } from './agree.ts'
import type { Endpoint } from './endpoint.ts'
import { readBytes, readQuantity, readValue } from './read-response.ts'
import { type RpcResponse, toQuantity } from './rpc.ts'

/** Higher than any final block. Marks an answer that depends on the newest state. */
const newest = 2n ** 64n

type StateReads = 'readBalances' | 'readHasCode' | 'readCode' | 'call' | 'callMany' | 'callCode'

export function stateReads(endpoints: Endpoints): Pick<Chain, StateReads> {
  return {
    readBalances: (addresses, at) =>
      at === 'latest'
        ? readAny(endpoints, (endpoint) => readBalances(endpoint, addresses, at))
        : readAgreed(endpoints, {
            from: (endpoint) => readBalances(endpoint, addresses, toQuantity(at)),
            upTo: at,
          }),
    readHasCode: (addresses) => readAny(endpoints, (endpoint) => readHasCode(endpoint, addresses)),
    readCode: (address) =>
      readAny(endpoints, async (endpoint) =>
        readValue(await askOne(endpoint, 'eth_getCode', [address, 'latest']), readBytes),
      ),
    call: (to, data, at = 'latest') =>
      readAny(endpoints, async (endpoint) =>
        readCall(await askOne(endpoint, 'eth_call', [{ to, data }, tagOf(at)])),
      ),
    callMany: (calls, at = 'latest') =>
      at === 'latest'
        ? readAny(endpoints, (endpoint) => callMany(endpoint, calls, at))
        : readAgreed(endpoints, {
            from: (endpoint) => callMany(endpoint, calls, at),
            upTo: at,
          }),
    callCode: (data, funds) => {
      const request = funds ? { data, from: funds.from, value: toQuantity(funds.value) } : { data }
      return readAgreed(endpoints, {
        from: async (endpoint) => readCall(await askOne(endpoint, 'eth_call', [request, 'latest'])),
        by: (outcome) => outcome.ok && outcome.data,
        upTo: newest,
      })
    },
  }
}

async function readBalances(
  endpoint: Endpoint,
  addresses: readonly Wallet[],
  tag: string,
): Promise<bigint[]> {
  const responses = await endpoint.ask(
    addresses.map((address) => ({ method: 'eth_getBalance', params: [address, tag] })),
  )
  return responses.map((response) => readValue(response, readQuantity))
}

async function callMany(
  endpoint: Endpoint,
  calls: readonly { readonly to: Wallet; readonly data: Hex }[],
  at: bigint | 'latest',
): Promise<CallOutcome[]> {
  const responses = await endpoint.ask(
    calls.map((call) => ({ method: 'eth_call', params: [call, tagOf(at)] })),
  )
  return responses.map(readCall)
}

async function readHasCode(endpoint: Endpoint, addresses: readonly Wallet[]): Promise<boolean[]> {
  const responses = await endpoint.ask(
    addresses.map((address) => ({ method: 'eth_getCode', params: [address, 'latest'] })),
  )
  return responses.map((response) => readValue(response, readBytes) !== '0x')
}

function readCall(response: RpcResponse | undefined): CallOutcome {
  const revert = readRevert(response)
  return revert ? { ok: false, data: revert } : { ok: true, data: readValue(response, readBytes) }
}

function tagOf(at: bigint | 'latest'): string {
  return at === 'latest' ? at : toQuantity(at)
}
