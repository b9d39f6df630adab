import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findFreePort } from '../../src/platform/process.ts'
import { findBroken } from '../support/check-invariants.ts'
import { makeSeededData, type SeededData } from '../support/kill-data.ts'
import { type RunOutcome, readOutcome } from '../support/kill-outcome.ts'
import { playSales, sales } from '../support/kill-sale.ts'
import { SupervisedService } from '../support/kill-service.ts'
import { openShop, type Shop } from '../support/kill-shop.ts'
import { makeTurns } from '../support/kill-turns.ts'

/** A run takes long by waiting for blocks and leases, not by work. */
const limitMs = 100_000
const inTurn = makeTurns(4)

type Script = keyof typeof sales
const references = new Map<Script, RunOutcome>()
let seeded: SeededData

beforeAll(async () => {
  seeded = await makeSeededData()
  await Promise.all(
    (Object.keys(sales) as Script[]).map(async (script) => {
      references.set(script, await run(script, undefined))
    }),
  )
}, limitMs)
afterAll(() => seeded.remove())

/** Plays a script on a copy of the seeded data against a service that dies at `killAt` and is started anew. */
async function run(script: Script, killAt: string | undefined, prepare?: (shop: Shop) => void) {
  const data = await seeded.copy()
  const service = new SupervisedService({ dataDir: data.dataDir, port: await findFreePort(), killAt })
  let shop: Shop | undefined
  try {
    shop = await openShop(await service.ready(), [service.baseUrl])
    prepare?.(shop)
    await playSales(shop, sales[script])
    expect(service.deathCount).toBe(killAt === undefined ? 0 : 1)
    expect(await findBroken(shop.db, shop.local.rpcUrl)).toEqual([])
    const outcome = await readOutcome(
      shop,
      sales[script].map(({ id }) => id),
    )
    expect(await service.stop()).toEqual({ code: 0, signal: null })
    return outcome
  } catch (error) {
    const said = service.said.slice(-6_000)
    throw new Error(`${(error as Error).message}\n\nThe service said:\n${said}`, { cause: error })
  } finally {
    await shop?.close()
    await data.remove()
  }
}

test('a run without a kill pays, tells, distributes and reconciles every sale', () => {
  for (const outcome of references.values())
    for (const sale of Object.values(outcome.sales)) {
      expect(sale.history.at(-1)).toBe('status paid >reconciled')
      expect(sale.payments).toMatchObject([{ state: 'credited', claims: 1 }])
      expect(sale.told).toHaveLength(2)
      expect(sale.arrivals).toMatchObject([{ is_distributed: true, is_lost: false }])
    }
  expect(references.get('tokenToDeposit')?.sent).toEqual({ deploy: 1, sweep: 1, distribute: 2 })
})

const moments: readonly (readonly [title: string, killAt: string, script?: Script])[] = [
  ['before the commit of a create', 'before-commit:insert-receipt'],
  ['after the commit of a create and before its answer', 'after-commit:insert-receipt'],
  ['before the commit of an offer', 'before-commit:insert-attempt'],
  ['after the commit of an offer and before its answer', 'after-commit:insert-attempt'],
  ['after a log is read and before it is credited', 'after-read:logs'],
  ['after plain coin is read and before it is credited', 'after-read:coin', 'coinToDeposit'],
  ["before the credit's commit", 'before-commit:claim-log'],
  ["after the credit's commit", 'after-commit:claim-log'],
  ["after the commit of plain coin's credit", 'after-commit:save-deposit-coin', 'coinToDeposit'],
  ['before a webhook is sent', 'before-webhook:paid'],
  ['after a webhook is sent and before the answer is stored', 'after-webhook:paid'],
  ['before a sweep is sent', 'before-send:sweep'],
  ['after a sweep is sent and before it is noted', 'after-send:sweep'],
  ['after a sweep of coin is sent and before it is noted', 'after-send:sweep', 'coinToDeposit'],
  ['before a distribution is sent', 'before-send:distribute'],
  ['after a distribution is sent and before it is noted', 'after-send:distribute'],
  ['before the books of a split are written', 'before-commit:insert-split-arrivals'],
  ['after the books of a split are written', 'after-commit:settle-split-arrivals'],
  ['after the reconciliation and before its webhook', 'before-webhook:reconciled'],
]

describe.concurrent('a service killed', () => {
  test.for(moments)(
    '%s ends as one that was not',
    { timeout: limitMs * moments.length },
    ([, killAt, script = 'tokenToDeposit']) =>
      inTurn(async () => {
        expect(await run(script, killAt)).toEqual(references.get(script))
      }),
  )

  test(
    'during the wait before the second attempt of a webhook makes that attempt all the same',
    { timeout: limitMs * moments.length },
    () =>
      inTurn(async () => {
        const times: number[] = []
        const outcome = await run('tokenToDeposit', 'after-commit:settle-notice', ({ receiver }) => {
          const refused = new Set<string>()
          receiver.behave = ({ body, at }) => {
            const { idempotencyKey } = JSON.parse(body.toString()) as { idempotencyKey: string }
            if (idempotencyKey.startsWith('receipt-status:usdc-transfer:paid')) times.push(at)
            const isFirst = !refused.has(idempotencyKey)
            refused.add(idempotencyKey)
            return isFirst ? 500 : 200
          }
        })
        expect(outcome).toEqual(references.get('tokenToDeposit'))
        expect(times).toHaveLength(2)
        expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(5_000)
      }),
  )
})
