import { addMs } from '@sluice/protocol/time.ts'
import { beforeEach, expect, test } from 'vitest'
import { enqueueMessage, makeWebhookMerchant } from '../../../test/support/api/webhooks.ts'
import { makeTestDatabase } from '../../../test/support/database/test-database.ts'
import { perFile } from '../../../test/support/per-file.ts'
import { TestClock } from '../../../test/support/test-clock.ts'
import { listDeferred } from '../../platform/jobs/deferred-store.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import { makeLog } from '../../platform/log.ts'
import type { ClaimedDelivery } from '../queued-delivery.ts'
import { claimDeliveries } from '../store.ts'
import { DeferredDeliveries } from './deferred-deliveries.ts'

const database = perFile(makeTestDatabase)
const merchant = makeWebhookMerchant()
let clock: TestClock
beforeEach(async () => {
  clock = new TestClock()
  await run('DELETE FROM deferred_item')
  await run('DELETE FROM outbox_message')
})

const run = (text: string) => database.pool.run({ name: '', text })
const needs = () => ({ db: database.pool, clock, log: makeLog('silent') })
const onList = async () =>
  (await listDeferred(database.pool, jobNames.deliverWebhooks)).map(({ item }) => item)

async function claim(subject: string): Promise<ClaimedDelivery> {
  const id = await enqueueMessage(database.pool, clock, merchant, {
    url: 'https://shop.example.com/hook',
    subject,
  })
  const now = clock.now()
  const due = { merchant: merchant.wallet, id, host: 'shop.example.com', nextAt: now, cycle: 0, place: 1 }
  const asked = { now, until: addMs(now, 15_000), token: 'holder:1' }
  const [claimed] = await claimDeliveries(database.pool, [due], asked)
  if (!claimed) throw new Error('it is due')
  return claimed
}

test('a message that is not to be sent any more is off the list once its try has come, and one that is stays', async () => {
  const [superseded, waiting] = [await claim('R-1'), await claim('R-2')]
  const deferred = new DeferredDeliveries(needs())
  for (const message of [superseded, waiting]) await deferred.begin(message, new Error('a broken row'))
  await run(`UPDATE outbox_message SET state = 'superseded', settled_at = 0 WHERE id = '${superseded.id}'`)
  await deferred.refresh()
  expect(await onList()).toHaveLength(2)
  await clock.advance(10_000)
  await deferred.refresh()
  expect(await onList()).toEqual([`message ${waiting.id}`])
})

test('a message that another process set aside is known within a second, also of a clock that was a day ahead', async () => {
  const message = await claim('R-1')
  const [here, elsewhere] = [new DeferredDeliveries(needs()), new DeferredDeliveries(needs())]
  const now = clock.now()
  clock.jumpTo(now + 86_400_000)
  await here.refresh()
  clock.jumpTo(now)
  await elsewhere.begin(message, new Error('a broken row'))
  await here.refresh()
  await here.end(message)
  expect(await onList()).toEqual([])
})
