import { systemRandom } from '../../../src/kernel/random.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { Ticker } from '../../../src/platform/jobs/ticker.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { HttpOutbound } from '../../../src/platform/outbound/http-outbound.ts'
import { makeDeliverJob } from '../../../src/webhooks/delivery/deliver-due.ts'
import { type ContractOptions, type ContractWorld, startContractWorld } from '../worlds/contract-world.ts'
import type { TestApi } from '../worlds/start-api.ts'
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

/** Starts it. Receipts that are to be told name `world.receiver.url` as their webhook. */
export async function startNotifiedWorld(options: ContractOptions = {}): Promise<NotifiedWorld> {
  const world = await startContractWorld(options)
  const { stop, ...deliveries } = await startDeliveries(world)
  return {
    ...world,
    ...deliveries,
    async stop() {
      await stop()
      await world.stop()
    },
  }
}

/** Delivers the webhooks of an API from now on. */
export async function startDeliveries({
  clock,
  access,
}: Pick<TestApi, 'clock' | 'access'>): Promise<Deliveries & { stop(): Promise<void> }> {
  const log = makeLog('silent')
  const receiver = await startWebhookReceiver(() => clock.now())
  const outbound = new HttpOutbound({ clock }, { targets: 'any', allowHttp: true })
  const { secrets, db } = access
  const needs = { db, clock, random: systemRandom, outbound, secrets, log, holder: 'contract-tests' }
  const ticker = new Ticker({ clock, log }, [makeDeliverJob(needs)])
  ticker.start()
  const nudge = () => ticker.nudge(jobNames.deliverWebhooks)
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
    async stop() {
      await ticker.stop()
      await outbound.close()
      await receiver.close()
    },
  }
}
