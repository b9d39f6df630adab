import { expect, test } from 'vitest'
import { makeTestDatabase } from '../../../test/support/database/test-database.ts'
import { perFile } from '../../../test/support/per-file.ts'
import { systemClock } from '../../kernel/clock.ts'
import { HttpOutbound } from '../outbound/http-outbound.ts'
import { afterCommit } from './inside-transaction.ts'
import { JoiningDatabase } from './joining/joining-database.ts'

const database = perFile(makeTestDatabase)
const outbound = perFile(() => new HttpOutbound({ clock: systemClock }, { targets: 'any', allowHttp: true }))

const ask = () =>
  outbound.request({ method: 'GET', url: 'http://127.0.0.1:1/', timeoutMs: 5_000, maxResponseBytes: 10 })

test('nothing is asked of the network inside a transaction, however deep', async () => {
  const asking = database.pool.transaction((tx) => tx.transaction(async () => ask()))
  await expect(asking).rejects.toThrow('the network must be called outside a transaction')
})

test('what was begun inside a transaction may ask when that is over', async () => {
  let late = async (): Promise<unknown> => undefined
  const isOver = Promise.withResolvers<void>()
  await database.pool.transaction(async () => {
    const asking = isOver.promise.then(ask)
    late = () => asking
  })
  isOver.resolve()
  expect(await late()).toMatchObject({ kind: 'error', error: 'network' })
  expect(await ask()).toMatchObject({ kind: 'error' })
})

test('what is left for after the commit is done once that is through, and never where it is not', async () => {
  const said: string[] = []
  afterCommit(() => said.push('without'))
  await database.pool.transaction(async (tx) => {
    await tx.transaction(async () => afterCommit(() => said.push('with')))
    expect(said).toEqual(['without'])
  })
  const failing = database.pool.transaction(async () => {
    afterCommit(() => said.push('undone'))
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(said).toEqual(['without', 'with'])
})

test('what is undone to a savepoint is not said', async () => {
  const said: string[] = []
  const joining = new JoiningDatabase(database.pool)
  await joining.together(async () => {
    await joining.transaction(async () => afterCommit(() => said.push('joined')))
    const undone = joining.transaction(async () => {
      afterCommit(() => said.push('undone'))
      throw new Error('no')
    })
    await expect(undone).rejects.toThrow('no')
  })
  expect(said).toEqual(['joined'])
})
