import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { expect, onTestFinished, test } from 'vitest'
import type { SubscriptionCaller } from '../../../src/access/caller.ts'
import { revokeSubscription } from '../../../src/access/keys/subscription-store.ts'
import { Changes, endedChanges } from '../../../src/platform/cache/changes.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { EventStreams } from '../../../src/webhooks/stream/event-streams.ts'
import { OpenStream } from '../../../src/webhooks/stream/open-stream.ts'
import { makeTestDatabase } from '../../support/database/test-database.ts'
import { wrapDatabase } from '../../support/database/wrap-database.ts'
import { perFile } from '../../support/per-file.ts'
import { TestClock } from '../../support/test-clock.ts'

const database = perFile(makeTestDatabase)

const walletOf = (i: number) => `0x${i.toString(16).padStart(40, '0')}` as Wallet
const callerOf = (i: number): SubscriptionCaller => ({
  ...{ kind: 'subscription', merchant: walletOf(i), subscriptionId: `s${i}`, keyId: `k${i}` },
  ...{ scopes: ['receipts:read'], encryptedKey: '' },
})

/**
 * Starts a process with one event stream per merchant, which receives no revocations from other processes.
 */
async function openStreams(first: number, count: number) {
  const text = `INSERT INTO subscription (merchant, id, name, scopes, mode, created_at)
    SELECT '0x' || lpad(to_hex(i), 40, '0'), 's' || i, 'name', '{receipts:read}', 'test', 0
    FROM generate_series(${first}, ${first + count - 1}) AS i`
  await database.pool.run({ name: '', text })
  const [clock, changes, sent] = [new TestClock(), new Changes(), [] as string[]]
  const db = wrapDatabase(database.pool, ({ name }, run) => {
    sent.push(name)
    return run()
  })
  const streams = new EventStreams({ db, clock, changes, log: makeLog('silent') })
  const heard = new Map<number, string>()
  for (let i = first; i < first + count; i++) {
    const body = streams.open(callerOf(i), walletOf(i), undefined)
    body.on('data', (bytes) => heard.set(i, (heard.get(i) ?? '') + bytes))
    onTestFinished(() => void body.destroy())
  }
  const all = () => [...heard.values()]
  await expect.poll(() => all().filter((each) => each.includes('ready')).length).toBe(count)
  const ended = () =>
    [...heard].filter(([, each]) => each.includes('{"reason":"unauthorized"}')).map(([i]) => i)
  const revoke = (i: number) => revokeSubscription(database.pool, walletOf(i), `s${i}`, clock.now())
  return { clock, changes, sent, ended, revoke }
}

test('with a thousand feeds the stream of a revoked key ends within a second, and all are asked about together', async () => {
  const { clock, sent, ended, revoke } = await openStreams(1, 1_000)
  await revoke(7)
  sent.length = 0
  await clock.advance(800)
  await expect.poll(ended, { interval: 5 }).toEqual([7])
  expect(sent.filter((name) => name === 'list-active-subscriptions')).toHaveLength(1)
})

test('where a process says what it has ended, no time passes', async () => {
  const { changes, ended, revoke } = await openStreams(2_001, 3)
  await revoke(2_002)
  for (const message of endedChanges(['s2002'])) changes.notify(message)
  await expect.poll(ended, { interval: 5 }).toEqual([2_002])
})

test('a clock that was a day ahead and is set right keeps no sign of life back', () => {
  const right = new TestClock().now()
  const stream = new OpenStream(callerOf(1), 1n, (right + 86_400_000) as UnixMs)
  onTestFinished(() => void stream.body.destroy())
  stream.body.read()
  stream.beat(right, 15_000)
  expect(String(stream.body.read())).toBe(': beat\n\n')
})
