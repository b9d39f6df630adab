import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { multicall3 } from '../../../../src/chain/read-amounts.ts'
import { mostPayments } from '../../../../src/payments/settlement/record-findings.ts'
import type { Outbound, OutboundOutcome } from '../../../../src/platform/outbound/outbound.ts'
import { always, transferData } from '../../../support/chain/chain-api.ts'
import { farChain } from '../../../support/chain/endpoints.ts'
import { startPayments } from '../../../support/chain/payments.ts'
import { perFile } from '../../../support/per-file.ts'

const mostLogs = 500
const dustCount = 1_500

const abi = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'function aggregate3(Call[] calls) payable',
])
const perTransaction = 500

type Reply = { readonly result?: unknown }

const far = farChain()
far.isFar = true
let refusedCount = 0
const context = perFile(() =>
  startPayments({ policy: always('seen'), outbound: (real) => far.over(refusing(real)) }),
)

function refusing(real: Outbound): Outbound {
  return {
    async request(asked) {
      const outcome = await real.request(asked)
      return asked.body?.includes('eth_getLogs') ? refuseMuch(outcome) : outcome
    },
  }
}

function refuseMuch(outcome: OutboundOutcome): OutboundOutcome {
  if (outcome.kind === 'error') return outcome
  const replies = JSON.parse(Buffer.from(outcome.body).toString()) as Reply[]
  const given = replies.map((reply) => {
    if (!Array.isArray(reply.result) || reply.result.length <= mostLogs) return reply
    refusedCount += 1
    const { result: _, ...rest } = reply
    return { ...rest, error: { code: -32005, message: `query returned more than ${mostLogs} results` } }
  })
  return { ...outcome, body: Buffer.from(JSON.stringify(given)) }
}

test('a block full of dust for one deposit address delays nobody, and what others paid in it counts', async () => {
  const dusted = await context.open('dusted', 20, 'USDC')
  const same = await context.open('same-block', 20, 'USDT')
  const next = await context.open('next-block', 20, 'USDC')
  await sendDust(dusted.depositAddress, dustCount)
  await context.pay(same, 'transfer')
  await context.mine()
  await context.payAndScan(next, 'transfer')
  expect(refusedCount).toBeGreaterThan(0)
  expect(await context.status('same-block')).toBe('paid')
  expect(await context.status('next-block')).toBe('paid')
  expect((await context.payment('dusted')).received).toBe(String(mostPayments))
})

/**
 * Adds `count` transfers to the next block, each of one base unit of USDC to the same address. Does not mine
 * the block.
 */
async function sendDust(to: string, count: number) {
  const target = context.tokenAddress('USDC')
  await context.transfer(target, multicall3, BigInt(count))
  await context.mine()
  const call = { target, allowFailure: false, callData: transferData(to, 1n) } as const
  for (let left = count; left > 0; left -= perTransaction) {
    const calls = Array.from({ length: Math.min(left, perTransaction) }, () => call)
    const data: Hex = encodeFunctionData({ abi, functionName: 'aggregate3', args: [calls] })
    await context.send({ to: multicall3 as Hex, data, gas: BigInt(calls.length) * 12_000n + 200_000n })
  }
}
