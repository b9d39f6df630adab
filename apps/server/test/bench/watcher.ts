import { loadavg } from 'node:os'
import type { AttemptView } from '@sluice/protocol/api/checkout.ts'
import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import type { Hex } from 'viem'
import { afterEach, test } from 'vitest'
import { jobNames } from '../../src/platform/jobs/names.ts'
import type { Job } from '../../src/platform/jobs/ticker.ts'
import { sendMany } from '../support/chain/calls.ts'
import { always, transferData } from '../support/chain/chain-api.ts'
import { farAwayMs, farChain, resetCounts } from '../support/chain/endpoints.ts'
import { type PaymentContext, type PayWay, startPayments } from '../support/chain/payments.ts'
import { countStatements } from '../support/database/count-statements.ts'
import { addTargets } from '../support/routes/many-targets.ts'

/**
 * Milliseconds between the watcher's rounds on Base. A round starts immediately if the previous one did not
 * reach the head.
 */
const roundMs = 1_000
const payments = 5
const dustCount = 400

const far = farChain(farAwayMs)
let started: PaymentContext | undefined

afterEach(() => end())

/** Benchmark that `npm run bench:watcher` runs. */
test('the watcher is measured', { timeout: 1_800_000 }, async () => {
  print(`Endpoint ${farAwayMs} ms away, a round a second; ${payments} payments each; ms from block to paid.`)
  let alone = 0
  for (const count of [0, 10_000]) {
    const context = await begin(count)
    for (const [token, way] of ways) {
      const name = `${count} other attempts, ${token} by ${way}`
      const middle = await measure(context, { name, token, way, markMs: 2_000 })
      if (count === 0) alone = Math.max(alone, middle)
    }
    await end()
  }
  const context = await begin(0)
  for (const { name, token, call } of dusts) {
    const disturb = (target: AttemptView) => sendMany(context, dustCount, call(context, target))
    const way = 'transfer'
    await measure(context, { name: `${dustCount} ${name}`, token, way, markMs: alone + 2_000, disturb })
  }
  await end()
})

const ways = [
  ['ETH', 'transfer'],
  ['USDC', 'transfer'],
  ['ETH', 'call'],
] as const

/** Third-party transfers in the block of a payment in `token`. */
const dusts: {
  name: string
  token: TokenSymbol
  call(context: PaymentContext, target: AttemptView): Parameters<typeof sendMany>[2]
}[] = [
  {
    name: 'transfers of 1 wei in the block',
    token: 'USDC',
    call: (_, { depositAddress }) => ({ to: depositAddress as Hex, value: 1n, gas: 21_000n }),
  },
  {
    name: 'transfers of a cent of coin in the block',
    token: 'USDC',
    call: (_, { depositAddress }) => {
      const value = 5_000_000_000_000n
      return { to: depositAddress as Hex, value, gas: 21_000n }
    },
  },
  {
    name: 'transfers of 1 unit of a token in the block',
    token: 'ETH',
    call: (context, { depositAddress }) => {
      const data = transferData(depositAddress, 1n)
      return { to: context.tokenAddress('USDC'), data, gas: 70_000n }
    },
  },
  {
    name: 'calls of 1 wei in the block',
    token: 'USDC',
    call: (_, { calls, payTo }) => {
      const data = calls[0]?.data as Hex
      return { to: payTo as Hex, data, value: 1n, gas: 60_000n }
    },
  },
]

async function begin(count: number): Promise<PaymentContext> {
  started = await startPayments({ policy: always('seen'), outbound: far.over })
  await addTargets(started, count)
  return started
}

async function end(): Promise<void> {
  far.isFar = false
  await started?.stop()
  started = undefined
}

type Measured = {
  readonly name: string
  readonly token: TokenSymbol
  readonly way: PayWay
  /** Maximum milliseconds from the block until the receipt is paid. */
  readonly markMs: number
  readonly disturb?: (target: AttemptView) => Promise<void>
}

/** Pays repeatedly while the watcher runs. Returns the median time in milliseconds. */
async function measure(context: PaymentContext, measured: Measured): Promise<number> {
  const { name, token, way, markMs, disturb } = measured
  const slug = name.replaceAll(/\W/g, '-').toLowerCase()
  const target = await context.open(`${slug}-stranger`, 2_000, token === 'ETH' ? 'USDC' : 'ETH')
  const counted = countStatements(context.needs.db)
  const watcher = runWatcher(context.job(jobNames.scanTransfers, { db: counted.db }))
  const late: number[] = []
  resetCounts(far.counts)
  for (let i = 0; i < payments; i++) {
    const id = `${slug}-${i}`
    far.isFar = false
    // On a busy machine, the chain's time would differ from the service's, and attempts could not be opened.
    await context.syncClock()
    await context.pay(await context.open(id, 20, token), way)
    await disturb?.(target)
    far.isFar = true
    // Spreads the payments over the interval between two rounds.
    await pause((roundMs * i) / payments)
    await context.mine()
    const begun = performance.now()
    const isPaid = async () => (await context.rows(findPaid, [context.merchant.wallet, id])).length > 0
    while (!(await isPaid())) await pause(20)
    late.push(performance.now() - begun)
  }
  const rounds = await watcher.stop()
  late.sort((a, b) => a - b)
  const [middle = 0, most = 0] = [late[late.length >> 1], late.at(-1)]
  const perRound = (total: number) => (total / rounds).toFixed(1)
  print(
    `${most <= markMs ? 'kept  ' : 'MISSED'} ${name}: median ${middle.toFixed(0)}, most ${most.toFixed(0)} ` +
      `(mark ${markMs.toFixed(0)}); ${perRound(far.counts.requests)} requests and ` +
      `${perRound(counted.total())} statements a round; load ${loadavg()[0]?.toFixed(1)}`,
  )
  return middle
}

const findPaid = `SELECT 1 AS found FROM receipt WHERE merchant = $1 AND id = $2 AND status = 'paid'`

function runWatcher(job: Job): { stop(): Promise<number> } {
  let isOver = false
  let rounds = 0
  const work = async () => {
    while (!isOver) {
      const begun = performance.now()
      const outcome = await job.run(new AbortController().signal)
      rounds += 1
      if (outcome !== 'again') await pause(Math.max(0, roundMs - (performance.now() - begun)))
    }
  }
  const running = work()
  return {
    async stop() {
      isOver = true
      await running
      return rounds
    },
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
