import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../src/platform/database/database.ts'
import { always } from '../../support/worlds/chain-api.ts'
import { type PaymentWorld, startPaymentWorld } from '../../support/worlds/payment-world.ts'

let world: PaymentWorld
beforeAll(async () => {
  world = await startPaymentWorld({ policy: always('safe') })
})
afterAll(() => world?.stop())

test('watchers at once credit each payment once and owe each webhook once', async () => {
  const ids = Array.from({ length: 12 }, (_, i) => `raced-${i}`)
  for (const [i, id] of ids.entries()) {
    await world.newReceipt(id, 20)
    await world.pay(await world.attempt(id, i % 2 === 0 ? 'ETH' : 'USDC'), i % 3 === 0 ? 'call' : 'transfer')
    if (i % 4 === 3) await world.mine()
    await Promise.all([world.scan(), world.scan(), world.scan(), world.scan()])
  }
  await world.mine(3)
  await Promise.all(Array.from({ length: 8 }, () => world.scan()))
  for (const id of ids) {
    expect(await world.status(id)).toBe('paid')
    expect(await world.notices(id)).toHaveLength(1)
  }
  expect(await creditedTwice()).toEqual([])
})

describe('a watcher that dies in a transaction', () => {
  test('before any of its statements, leaves nothing behind and is made good by the next', async () => {
    let died = 0
    for (let fatal = 1; ; fatal++) {
      const id = `died-${fatal}`
      await world.newReceipt(id, 20)
      const attempt = await world.attempt(id, fatal % 2 === 0 ? 'ETH' : 'USDC')
      await world.pay(attempt, 'transfer')
      await world.mine(3)
      const survived = await dieAtStatement(fatal)
      if (!survived) {
        died++
        expect(await world.notices(id)).toEqual([])
        expect(await world.checkout(id)).toMatchObject({ status: 'pending', payment: { state: 'awaiting' } })
      }
      await world.scan()
      expect(await world.status(id)).toBe('paid')
      expect((await world.notices(id)).map(({ sequence, body }) => [sequence, body.status])).toEqual([
        [5n, 'paid'],
      ])
      if (survived) break
    }
    expect(died).toBeGreaterThan(15)
    expect(await creditedTwice()).toEqual([])
  })

  test('after its commit and before it could tell anybody, owes the same webhook', async () => {
    await world.newReceipt('untold', 20)
    await world.pay(await world.attempt('untold', 'USDC'), 'transfer')
    await world.mine(3)
    const { db } = world.needs
    const deaf: Database = {
      rows: (statement, values) => db.rows(statement, values),
      row: (statement, values) => db.row(statement, values),
      run: (statement, values) =>
        statement.name === 'notify-job' ? Promise.reject(new Error('killed')) : db.run(statement, values),
      transaction: (work) => db.transaction(work),
    }
    await expect(world.scan({ db: deaf })).rejects.toThrow('killed')
    await world.scan()
    expect(await world.status('untold')).toBe('paid')
    expect(await world.notices('untold')).toHaveLength(1)
  })
})

/** Runs the watcher until the `fatal`-th statement of a transaction, which is its last; `true` where none has so many. */
async function dieAtStatement(fatal: number): Promise<boolean> {
  const { db } = world.needs
  const mortal = (tx: Database): Database => {
    let count = 0
    const step = <T>(go: () => Promise<T>): Promise<T> =>
      ++count >= fatal ? Promise.reject(new Error('killed')) : go()
    const inside: Database = {
      rows: (statement, values) => step(() => tx.rows(statement, values)),
      row: (statement, values) => step(() => tx.row(statement, values)),
      run: (statement, values) => step(() => tx.run(statement, values)),
      transaction: (work) => work(inside),
    }
    return inside
  }
  const dying: Database = {
    rows: (statement, values) => db.rows(statement, values),
    row: (statement, values) => db.row(statement, values),
    run: (statement, values) => db.run(statement, values),
    transaction: (work) => db.transaction((tx) => work(mortal(tx))),
  }
  try {
    await world.scan({ db: dying })
    return true
  } catch (error) {
    if ((error as Error).message !== 'killed') throw error
    return false
  }
}

/** Credited payments without a claim of their own. */
function creditedTwice() {
  return world.needs.db.rows({
    name: 'test-credited-twice',
    text: `SELECT p.tx_hash, p.log_index, count(c.tx_hash) AS claims FROM payment p
      LEFT JOIN log_claim c ON c.tx_hash = p.tx_hash AND c.chain = p.chain AND c.log_index = p.log_index
        AND c.address = p.address
      WHERE p.state = 'credited' GROUP BY p.tx_hash, p.log_index HAVING count(c.tx_hash) <> 1`,
  })
}
