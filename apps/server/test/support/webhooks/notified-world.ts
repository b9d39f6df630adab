import { jobNames } from '../../../src/platform/jobs/names.ts'
import { type ContractWorld, startContractWorld } from '../worlds/contract-world.ts'
import type { ApiOptions, TestApi } from '../worlds/start-api.ts'
import { until } from './webhook-process.ts'
import { type Received, startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts'

/** A contract world whose webhooks are delivered, to a receiver that does as told. */
export type NotifiedWorld = ContractWorld & Deliveries

/** The webhooks of an API, delivered to a receiver of the test's. */
export type Deliveries = {
  readonly receiver: WebhookReceiver
  /** What came for a receipt, oldest first, once there are `count` of them. */
  received(id: string, count: number): Promise<Received[]>
  /** Has what is due looked at now. */
  nudge(): void
}

/** Webhooks are sent as they fall due: for whatever starts an API. */
export const delivering = { webhooks: 'sent', running: [jobNames.deliverWebhooks] } as const

/** Starts it. Receipts that are to be told name `world.receiver.url` as their webhook. */
export async function startNotifiedWorld(options: ApiOptions = {}): Promise<NotifiedWorld> {
  const world = await startContractWorld({ ...delivering, ...options })
  const { stop, ...deliveries } = await startDeliveries(world)
  return {
    ...world,
    ...deliveries,
    async stop() {
      await world.stop()
      await stop()
    },
  }
}

/** Hears the webhooks of an API that was started as {@link delivering}. */
export async function startDeliveries(
  api: Pick<TestApi, 'clock' | 'nudge'>,
): Promise<Deliveries & { stop(): Promise<void> }> {
  const { clock } = api
  const receiver = await startWebhookReceiver(() => clock.now())
  const nudge = () => api.nudge(jobNames.deliverWebhooks)
  const about = (id: string) =>
    receiver.received.filter(({ body }) => JSON.parse(body.toString()).receiptId === id)
  return {
    receiver,
    nudge,
    async received(id, count) {
      nudge()
      await until(clock, () => about(id).length >= count, `${count} webhooks about ${id}`)
      return about(id)
    },
    stop: () => receiver.close(),
  }
}
