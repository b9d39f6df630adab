import { describe, expect, test } from 'vitest'
import type { Database } from '../../../src/platform/database/database.ts'
import type { Statement } from '../../../src/platform/database/statement.ts'
import { always } from '../../support/chain/chain-api.ts'
import { startPayments } from '../../support/chain/payments.ts'
import { type AtStatement, wrapDatabase } from '../../support/database/wrap-database.ts'
import { perFile } from '../../support/per-file.ts'

const context = perFile(() => startPayments({ policy: always('safe') }))

test('watchers at once credit each payment once and owe each webhook once', async () => {
  const ids = Array.from({ length: 12 }, (_, i) => `raced-${i}`)
  for (const [i, id] of ids.entries()) {
    await context.pay(
      await context.open(id, 20, i % 2 === 0 ? 'ETH' : 'USDC'),
      i % 3 === 0 ? 'call' : 'transfer',
    )
    if (i % 4 === 3) await context.mine()
    await Promise.all([context.scan(), context.scan(), context.scan(), context.scan()])
  }
  await context.mine(3)
  await Promise.all(Array.from({ length: 8 }, () => context.scan()))
  for (const id of ids) {
    expect(await context.status(id)).toBe('paid')
    expect(await context.messages(id)).toHaveLength(1)
  }
  expect(await creditedTwice()).toEqual([])
})

describe('a watcher that dies', () => {
  test('before any statement of its transactions, leaves nothing half done and is made good by the next', async () => {
    let died = 0
    for (let fatal = 1; ; fatal++) {
      const id = `died-${fatal}`
      const attempt = await context.open(id, 20, fatal % 2 === 0 ? 'ETH' : 'USDC')
      await context.pay(attempt, 'transfer')
      await context.mine(3)
      const survived = await dieAtStatement(fatal)
      if (!survived) {
        died++
        expect(await context.messages(id)).toEqual([])
        expect(await context.payment(id)).toMatchObject({ status: 'pending', state: 'awaiting' })
      }
      await context.scan()
      expect(await context.status(id)).toBe('paid')
      expect((await context.messages(id)).map(({ sequence, body }) => [sequence, body.status])).toEqual([
        [5n, 'paid'],
      ])
      if (survived) break
    }
    expect(died).toBeGreaterThan(15)
    expect(await creditedTwice()).toEqual([])
  })

  test('after its commit and before it could tell anybody, owes the same webhook', async () => {
    await context.pay(await context.open('untold', 20, 'USDC'), 'transfer')
    await context.mine(3)
    const { db } = context.needs
    const transaction: Database['transaction'] = (work) => db.transaction(work)
    const fail = ({ name }: Statement) => name === 'notify-job'
    const deaf = { ...wrapDatabase(db, dyingWhen(fail)), transaction }
    await expect(context.scan({ db: deaf })).rejects.toThrow('killed')
    await context.scan()
    expect(await context.status('untold')).toBe('paid')
    expect(await context.messages('untold')).toHaveLength(1)
  })
})

async function dieAtStatement(fatal: number): Promise<boolean> {
  const { db } = context.needs
  let count = 0
  const isLast = () => ++count >= fatal
  const mortal = (tx: Database): Database => {
    const inside: Database = {
      ...wrapDatabase(tx, dyingWhen(isLast)),
      transaction: (work) => work(inside),
    }
    return inside
  }
  const live = wrapDatabase(db, (_, run) => run())
  const dying: Database = { ...live, transaction: (work) => db.transaction((tx) => work(mortal(tx))) }
  try {
    await context.scan({ db: dying })
    return true
  } catch (error) {
    if ((error as Error).message !== 'killed') throw error
    return false
  }
}

function dyingWhen(isFatal: (statement: Statement) => boolean): AtStatement {
  // An error of this name is no fault of the item.
  const killed = () => Promise.reject(Object.assign(new Error('killed'), { name: 'AbortError' }))
  return (statement, run) => (isFatal(statement) ? killed() : run())
}

function creditedTwice() {
  return context.rows(`SELECT p.tx_hash, p.log_index, count(c.tx_hash) AS claims FROM payment p
    LEFT JOIN log_claim c ON c.tx_hash = p.tx_hash AND c.chain = p.chain AND c.log_index = p.log_index
      AND c.address = p.address
    WHERE p.state = 'credited' GROUP BY p.tx_hash, p.log_index HAVING count(c.tx_hash) <> 1`)
}
