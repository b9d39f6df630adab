import { beforeAll, describe, expect, test, vi } from 'vitest'
import { Semaphore } from '../../../src/kernel/turns/semaphore.ts'
import type { RunOutcome } from '../../support/kill/outcome.ts'
import { playRun } from '../../support/kill/run.ts'
import { type Sale, type Script, sales } from '../../support/kill/sale.ts'
import { copySeededData, readReference } from '../../support/kill/seeded.ts'
import type { Shop } from '../../support/kill/shop.ts'

const momentsInARow = [
  'before-commit:insert-attempt',
  'after-commit:insert-attempt',
  'before-commit:claim-logs',
  'before-send:sweep',
  'before-commit:insert-split-arrivals',
  'before-send:distribute',
  'after-commit:settle-split-arrivals',
  'before-webhook:reconciled',
]

const semaphore = new Semaphore(3)
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })
const references = new Map<Script, RunOutcome>()

beforeAll(async () => {
  const scripts = Object.keys(sales) as Script[]
  await Promise.all(scripts.map(async (script) => void references.set(script, await readReference(script))))
})

const runOf = (
  played: readonly Sale[],
  killAts: readonly string[],
  prepare: (shop: Shop) => void = () => {},
) => semaphore.run(async () => playRun({ data: await copySeededData(), sales: played, killAts, prepare }))
const run = (script: Script, killAts: readonly string[]) => runOf(sales[script], killAts)

test('a service that is not killed pays, tells, distributes and reconciles every sale', () => {
  for (const outcome of references.values())
    for (const sale of Object.values(outcome.sales)) {
      expect(sale.history.at(-1)).toBe('status paid >reconciled')
      expect(sale.payments).toMatchObject([{ state: 'credited', claims: 1 }])
      expect(sale.reported).toHaveLength(2)
      expect(sale.arrivals).toMatchObject([{ is_distributed: true, is_lost: false }])
    }
  expect(references.get('tokenToDeposit')?.sent).toEqual({ deploy: 1, sweep: 1, distribute: 2 })
})

describe.concurrent('a service killed', () => {
  test('at one moment after the other ends as one that was not', async () => {
    expect(await run('tokenToDeposit', momentsInARow)).toEqual(references.get('tokenToDeposit'))
  })

  test('during the wait before the second attempt of a webhook makes that attempt all the same', async () => {
    const times: number[] = []
    const refused = new Set<string>()
    // Only one sale: the kill would cut off the delivery of a second sale.
    const [sale] = sales.tokenToDeposit
    const outcome = await runOf([sale], ['after-commit:settle-message'], ({ receiver }) => {
      receiver.behave = ({ body, headers }) => {
        const { idempotencyKey } = JSON.parse(body.toString()) as { idempotencyKey: string }
        if (idempotencyKey.startsWith(`receipt-status:${sale.id}:paid`))
          times.push(Number(headers['x-service-timestamp']))
        const isFirst = !refused.has(idempotencyKey)
        refused.add(idempotencyKey)
        return isFirst ? 500 : 200
      }
    })
    expect(outcome.sales[sale.id]).toEqual(references.get('tokenToDeposit')?.sales[sale.id])
    // On a busy machine, a late response causes a third attempt.
    expect(times.length).toBeGreaterThanOrEqual(2)
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(5_000)
  })
})
