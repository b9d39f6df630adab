import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTestDatabase, type TestDatabase } from '../../test/support/test-database.ts'
import { systemClock } from '../kernel/clock.ts'
import { HttpOutbound } from './outbound-http.ts'

let database: TestDatabase
const outbound = new HttpOutbound({ clock: systemClock }, { targets: 'any', allowHttp: true })

beforeAll(async () => {
  database = await makeTestDatabase()
})
afterAll(async () => {
  await outbound.close()
  await database.drop()
})

const ask = () =>
  outbound.request({ method: 'GET', url: 'http://127.0.0.1:1/', timeoutMs: 5_000, maxResponseBytes: 10 })

test('nothing is asked of the network inside a transaction, however deep', async () => {
  const asking = database.pool.transaction((tx) => tx.transaction(async () => ask()))
  await expect(asking).rejects.toThrow('the network is asked before a transaction or after it, never inside')
})

test('what was begun inside a transaction may ask when that is over', async () => {
  let late = async (): Promise<unknown> => undefined
  let end = () => {}
  const isOver = new Promise<void>((resolve) => {
    end = resolve
  })
  await database.pool.transaction(async () => {
    const asking = isOver.then(ask)
    late = () => asking
  })
  end()
  expect(await late()).toMatchObject({ kind: 'fault', fault: 'network' })
  expect(await ask()).toMatchObject({ kind: 'fault' })
})
