import { expect, test } from 'vitest'
import { systemClock } from '../../../src/kernel/clock.ts'
import { DatastoreAway } from '../../../src/platform/database/degraded.ts'
import { makeTestDatabase } from '../../support/database/test-database.ts'
import { wrapDatabase } from '../../support/database/wrap-database.ts'
import { perFile } from '../../support/per-file.ts'
import { makeWebhookMerchant, oweNotice, startWebhookProcess } from '../../support/webhooks/webhook-process.ts'
import { startWebhookReceiver } from '../../support/webhooks/webhook-receiver.ts'

const database = perFile(makeTestDatabase)

test('webhooks go out while the list of merchants with pending notices takes too long to be put right', async () => {
  const quick = await startWebhookReceiver()
  const process_ = await startWebhookProcess(database, {
    between: (db) =>
      wrapDatabase(db, (statement, run) =>
        process.env.AUDIT_CONTROL !== '1' && statement.name === 'list-merchants-with-pending-notices'
          ? Promise.reject(new DatastoreAway('canceling statement due to statement timeout'))
          : run(),
      ),
  })
  await oweNotice(database.pool, systemClock, makeWebhookMerchant(), { url: quick.url })
  process_.nudge()
  await new Promise((r) => setTimeout(r, 8_000))
  const count = quick.received.length
  await process_.stop()
  await quick.close()
  expect(count).toBe(1)
}, 60_000)
