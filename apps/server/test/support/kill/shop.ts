import { setTimeout as pause } from 'node:timers/promises'
import { webhookHeaders } from '@sluice/protocol/webhook.ts'
import { verifyBody } from '@sluice/protocol/webhook-signature.ts'
import { systemClock } from '../../../src/kernel/clock.ts'
import { type Buyer, openBuyer } from '../../../src/local/demo/buyer.ts'
import type { LocalJson } from '../../../src/local/local-settings.ts'
import { Pool } from '../../../src/platform/database/database.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { HttpOutbound } from '../../../src/platform/outbound/http-outbound.ts'
import type { Outbound } from '../../../src/platform/outbound/outbound.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../api/webhooks.ts'
import { PatientClient } from './client.ts'

export type Shop = {
  readonly local: LocalJson
  readonly client: PatientClient
  readonly buyer: Buyer
  readonly receiver: WebhookReceiver
  readonly db: Pool
  /**
   * Returns the idempotency keys of the received webhooks, without duplicates. Throws if a signature is
   * wrong.
   */
  receivedKeys(): Promise<string[]>
  close(): Promise<void>
}

export async function openShop(local: LocalJson, baseUrls: readonly string[]): Promise<Shop> {
  const outbound = new HttpOutbound({ clock: systemClock }, { targets: 'any', allowHttp: true })
  const patient = makePatient(outbound)
  const receiver = await startWebhookReceiver()
  const db = new Pool({ url: local.databaseUrl, max: 2, log: makeLog('silent') })
  return {
    local,
    client: new PatientClient(baseUrls, local),
    buyer: await openBuyer({ clock: systemClock, outbound: patient }, local),
    receiver,
    db,
    async receivedKeys() {
      const keys = new Set<string>()
      for (const { body, headers } of receiver.received) {
        const signature = String(headers[webhookHeaders.signature.toLowerCase()])
        const isGenuine = await verifyBody(local.subscriptionKey, body, signature)
        const { idempotencyKey } = JSON.parse(body.toString()) as { idempotencyKey: string }
        const isSame = headers[webhookHeaders.idempotencyKey.toLowerCase()] === idempotencyKey
        if (!isGenuine || !isSame) throw new Error(`a webhook that is not ours came in: ${body}`)
        keys.add(idempotencyKey)
      }
      return [...keys]
    },
    async close() {
      await Promise.allSettled([receiver.close(), db.close(), outbound.close()])
    },
  }
}

/** Makes a wallet wait while its node is unavailable. */
function makePatient(inner: Outbound): Outbound {
  return {
    async request(request) {
      const giveUpAt = performance.now() + 120_000
      for (;;) {
        const outcome = await inner.request(request)
        if (outcome.kind === 'response' || performance.now() > giveUpAt) return outcome
        await pause(100)
      }
    },
  }
}
