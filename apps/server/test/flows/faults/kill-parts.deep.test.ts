import { test as each, expect, vi } from 'vitest'
import { Semaphore } from '../../../src/kernel/turns/semaphore.ts'
import { anvilClient } from '../../../src/local/anvil.ts'
import { until } from '../../../src/platform/process/process.ts'
import type { DataCopy } from '../../support/kill/data.ts'
import type { RunOutcome, SaleOutcome } from '../../support/kill/outcome.ts'
import { findPart, killPart } from '../../support/kill/parts.ts'
import { playRun } from '../../support/kill/run.ts'
import { sales } from '../../support/kill/sale.ts'
import { copySeededData, readReference } from '../../support/kill/seeded.ts'
import type { Shop } from '../../support/kill/shop.ts'
import type { SupervisedService } from '../../support/kill/supervised-service.ts'
import { perFile } from '../../support/per-file.ts'
import { keepSavedChain, waitUntilSaved } from './saved-chain.ts'

const test = each.concurrent
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })
const semaphore = new Semaphore(3)
const script = sales.tokenToDeposit
const reference = perFile(() => readReference('tokenToDeposit'))

type Meanwhile = (shop: Shop, data: DataCopy, service: SupervisedService) => Promise<void>

const play = (work: Meanwhile, more = {}) =>
  semaphore.run(async () => {
    const data = await copySeededData()
    const meanwhile = (shop: Shop, service: SupervisedService) => work(shop, data, service)
    return playRun({ data, sales: script, ...more, meanwhile })
  })

async function waitFor({ db }: Shop, text: string): Promise<string> {
  let found: { value: string } | undefined
  const isThere = async () => {
    found = await db.row<{ value: string }>({ name: '', text }).catch(() => undefined)
    return found !== undefined
  }
  await until(isThere, 120_000)
  if (!found) throw new Error(`waited in vain: ${text}`)
  return found.value
}

const offered = `SELECT id AS value FROM attempt WHERE receipt_id = 'usdc-transfer'`
const credited = creditOf('usdc-transfer')
const swept = `SELECT tx_hash AS value FROM split_arrival WHERE receipt_id = 'usdc-transfer'`

function creditOf(id: string, state = 'credited'): string {
  return `SELECT tx_hash AS value FROM payment WHERE receipt_id = '${id}' AND state = '${state}'`
}

async function atThreeMoments(shop: Shop, harm: () => Promise<unknown>): Promise<void> {
  for (const moment of [offered, credited, swept]) {
    await waitFor(shop, moment)
    await harm()
  }
}

test('a PostgreSQL that is killed comes back under the running service, and every sale ends as without', async () => {
  const outcome = await play((shop, data) => atThreeMoments(shop, () => killPart(data, 'postgres')))
  expect(outcome).toEqual(reference)
})

test('a process of PostgreSQL that is killed takes the others along, and every sale ends as without', async () => {
  const backend = `SELECT pid::text AS value FROM pg_stat_activity WHERE application_name = 'sluice-listen'`
  const outcome = await play((shop) =>
    atThreeMoments(shop, async () => process.kill(Number(await waitFor(shop, backend)), 'SIGKILL')),
  )
  expect(outcome).toEqual(reference)
})

test('a chain killed after it was saved comes back, and every sale ends as without', async () => {
  const outcome = await play(async (shop, data) => {
    // Kills anvil before any payment: a payment that was mined but not saved would be lost permanently.
    await killPart(data, 'anvil')
    await untilPaymentsAreSaved(shop, data)
    await killPart(data, 'anvil')
  })
  expect(outcome).toEqual(reference)
})

test('a payment lost with the chain is told as lost, and counts once when it is mined again', async () => {
  const losing: Meanwhile = async (shop, data) => {
    // Mines slowly until anvil restarts, so that the payments are lost before they are final.
    await anvilClient(shop.local.rpcUrl).setIntervalMining({ interval: 4 })
    const fallBack = await keepSavedChain(data, waitFor(shop, offered))
    await loseAndSendAgain(shop, fallBack)
  }
  const outcome = await play(losing, { hasLostPayments: true })
  // The number of sweeps depends on whether the payment or the sweep of the lost payment comes first.
  expect({ ...standing(outcome), sent: {} }).toEqual({ ...withLoss(reference), sent: {} })
})

test('a machine that loses its power at once with everything on it goes on where the disk stood', async () => {
  const losingPower: Meanwhile = async (shop, data, service) => {
    await untilPaymentsAreSaved(shop, data)
    const parts = (['postgres', 'anvil'] as const).map((part) => {
      const pid = findPart(data, part)
      if (!pid) throw new Error(`${part} does not run`)
      return pid
    })
    service.kill()
    for (const pid of parts) process.kill(pid, 'SIGKILL')
    expect(await until(() => service.deathCount === 1, 120_000)).toBe(true)
  }
  expect(await play(losingPower, { expectedDeaths: 1 })).toEqual(reference)
})

async function untilPaymentsAreSaved(shop: Shop, data: DataCopy): Promise<void> {
  for (const { id } of script) await waitUntilSaved(data, await waitFor(shop, creditOf(id)))
}

/** Reverts the chain to a state before the payments, then resends their transactions. */
async function loseAndSendAgain(
  shop: Shop,
  fallBack: (lost: readonly string[]) => Promise<void>,
): Promise<void> {
  const hashes: string[] = []
  const ask = anvilClient(shop.local.rpcUrl).request as (call: object) => Promise<string>
  const sent: string[] = []
  for (const { id } of script) {
    const hash = await waitFor(shop, creditOf(id))
    hashes.push(hash)
    sent.push(await ask({ method: 'eth_getRawTransactionByHash', params: [hash] }))
  }
  await fallBack(hashes)
  for (const { id } of script) await waitFor(shop, creditOf(id, 'orphaned'))
  for (const raw of sent) await ask({ method: 'eth_sendRawTransaction', params: [raw] })
}

/** Returns an outcome without the deposits whose blocks were lost. Only some runs record these deposits. */
function standing(outcome: RunOutcome): RunOutcome {
  const sales = Object.entries(outcome.sales).map(([id, sale]): [string, SaleOutcome] => {
    return [id, { ...sale, arrivals: sale.arrivals.filter(({ is_lost }) => is_lost !== true) }]
  })
  return { ...outcome, sales: Object.fromEntries(sales) }
}

function withLoss(outcome: RunOutcome): RunOutcome {
  const changed = Object.entries(outcome.sales).map(([id, sale]): [string, SaleOutcome] => {
    const messages = ['orphaned', 'restored'].map(
      (what) => `receipt-status:${id}:paid:<its payment>:${what}:<its block>`,
    )
    const { history, owed, reported } = sale
    const paidAt = history.indexOf('status pending >paid') + 1
    const lossAndReturn = ['payment_orphaned', 'payment_restored']
    return [
      id,
      {
        ...sale,
        history: [...history.slice(0, paidAt), ...lossAndReturn, ...history.slice(paidAt)],
        owed: [...owed.slice(0, 1), ...messages.map((message) => `${message} delivered`), ...owed.slice(1)],
        reported: [...reported, ...messages].sort(),
      },
    ]
  })
  return { ...outcome, sales: Object.fromEntries(changed) }
}
