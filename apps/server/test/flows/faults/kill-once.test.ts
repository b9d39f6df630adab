import { expect, test } from 'vitest'
import { playRun } from '../../support/kill/run.ts'
import { sales } from '../../support/kill/sale.ts'
import { copySeededData } from '../../support/kill/seeded.ts'

const afterTheCredit = 'after-commit:claim-logs'
const timeout = 180_000

test('a service that is killed and started again pays, tells, distributes and reconciles every sale once', {
  timeout,
}, async () => {
  const data = await copySeededData()
  const outcome = await playRun({ data, sales: sales.tokenToDeposit, killAts: [afterTheCredit] })
  for (const sale of Object.values(outcome.sales)) {
    expect(sale.history.at(-1)).toBe('status paid >reconciled')
    expect(sale.payments).toMatchObject([{ state: 'credited', claims: 1 }])
    expect(sale.reported).toHaveLength(2)
    expect(sale.arrivals).toMatchObject([{ is_distributed: true, is_lost: false }])
  }
})
