import { numberToHex } from 'viem'
import { expect, test } from 'vitest'
import type { CallOutcome } from '../chain/chain.ts'
import { ChainUnavailable } from '../chain/chain-time.ts'
import { makeLog } from '../platform/log.ts'
import { networkOf, requireDecimals } from './network.ts'

const network = networkOf(56, undefined)

async function outcomeOf(answer: (symbol: string) => CallOutcome | Error): Promise<string> {
  const chain = {
    ...network,
    callMany: async (calls: readonly { readonly to: string }[]) =>
      calls.map(({ to }) => {
        const found = answer(network.tokens.find(({ address }) => address === to)?.symbol ?? '')
        if (found instanceof Error) throw found
        return found
      }),
  }
  return requireDecimals({ chain, log: makeLog('silent') }).then(
    () => 'started',
    ({ message }: Error) => message,
  )
}

const has = (decimals: number): CallOutcome => ({ ok: true, data: numberToHex(decimals, { size: 32 }) })

test('the service starts if each contract has the pinned decimals, and if no endpoint responds', async () => {
  expect(await outcomeOf(() => has(18))).toBe('started')
  expect(await outcomeOf(() => new ChainUnavailable('no endpoint responds'))).toBe('started')
})

test('the service does not start if a contract has other decimals than the pinned ones, and names both', async () => {
  expect(await outcomeOf((symbol) => has(symbol === 'USDT' ? 6 : 18))).toBe(
    'Tokens on BNB Smart Chain differ: USDT at 0x55d398326f99059fF775485246999027B3197955: 18 decimals are pinned, the contract has 6. Check RPC_URLS',
  )
})

test.each<CallOutcome>([
  { ok: true, data: '0x' },
  { ok: false, data: '0x' },
])('the service does not start if there is no token contract: %o', async (nothing) => {
  const message = await outcomeOf((symbol) => (symbol === 'USDC' ? nothing : has(18)))
  expect(message).toMatch(/: USDC at 0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d: 18 .* has none\./)
})
