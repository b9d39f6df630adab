import type { Wallet } from '@sluice/protocol/wallet.ts'
import { expect, onTestFinished, test } from 'vitest'
import { makeTestDatabase } from '../../../test/support/database/test-database.ts'
import { perFile } from '../../../test/support/per-file.ts'
import { TestClock } from '../../../test/support/test-clock.ts'
import { until } from '../../../test/support/webhooks/webhook-process.ts'
import type { KnownCaller } from '../../access/caller.ts'
import { makeLog } from '../../platform/log.ts'
import { EventStreams } from './event-streams.ts'

const database = perFile(makeTestDatabase)
const merchant = '0x00000000000000000000000000000000000000a1' as Wallet
const dayMs = 86_400_000

/** Whose key is revoked: there is none of that id. */
const revoked: KnownCaller = {
  kind: 'subscription',
  merchant,
  subscriptionId: 'S-1',
  scopes: ['receipts:read'],
  keyId: 'K-1',
  sealedKey: '',
}

test('a stream whose reader may read no more ends, also where the clock was a day ahead when it began', async () => {
  const timers = new TestClock()
  let aheadMs = dayMs
  const clock = {
    now: () => (timers.now() + aheadMs) as ReturnType<TestClock['now']>,
    after: (delayMs: number, job: () => void) => timers.after(delayMs, job),
  }
  const streams = new EventStreams({ db: database.pool, clock, log: makeLog('silent') })
  const stream = streams.open(revoked, merchant, undefined)
  onTestFinished(() => void stream.destroy())
  let heard = ''
  stream.on('data', (bytes) => {
    heard += bytes
  })
  await until(timers, () => heard !== '', 'the beginning', 10)
  aheadMs = 0
  await until(timers, () => heard.includes('event: end'), 'the end', 1_000)
  expect(heard).toContain('unauthorized')
  expect(timers.now() - new TestClock().now()).toBeLessThan(dayMs / 2)
})
