import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../../apps/server/src/kernel/clock.ts'
import { notifyJob } from '../../../apps/server/src/platform/database/notify.ts'
import { jobNames } from '../../../apps/server/src/platform/jobs/names.ts'
import { sendLimits } from '../../../apps/server/src/webhooks/delivery/choose-due.ts'
import { signedHeaders } from '../../../apps/server/src/webhooks/sign.ts'
import type { Bench } from '../open-bench.ts'
import { percentile } from '../percentile.ts'
import { type Reading, readProbe, statementsBetween } from '../read-probe.ts'
import { runChild } from '../run-child.ts'
import { settleDatabase } from '../settle-database.ts'
import type { ChangeInput, ChangeResult } from './change-load.ts'
import { fillReceivers, oweWebhooks, type Receivers } from './fill-receivers.ts'
import type { RawInput } from './raw-sender.ts'
import type { Arrivals } from './receiver.ts'
import { answeredOf } from './receiver-hosts.ts'
import { type Receiver, startReceiver } from './start-receiver.ts'

/** How webhooks are measured. */
export type WebhooksHow = {
  readonly receivers: number
  /** Webhooks that are owed at once, for the rate. */
  readonly burst: number
  readonly rounds: number
  /** How long statuses change, and how many a second. */
  readonly seconds: number
  readonly rate: number
}

/** What came of it. */
export type Webhooks = {
  readonly how: WebhooksHow
  readonly rounds: readonly { readonly raw: number; readonly service: number }[]
  readonly statementsPerWebhook: number
  readonly cpuUsPerWebhook: number
  /** First attempts while statuses change: from when the body was made, before the commit, to the receiver. */
  readonly paced: {
    readonly changesPerSecond: number
    readonly count: number
    readonly p50: number
    readonly p99: number
    readonly most: number
    readonly delayP99Ms: number
  }
}

const patienceMs = 300_000
const connections = 32

/** Measures how late webhooks are while statuses change, then bursts of them, in turns with undici alone. */
export async function measureWebhooks(
  bench: Bench,
  operator: Readonly<Record<string, string>>,
  how: WebhooksHow,
): Promise<Webhooks> {
  const receiver = await startReceiver()
  try {
    const receivers = { count: how.receivers, port: receiver.port }
    await fillReceivers(bench, receivers, how.seconds * how.rate)
    await settleDatabase(bench.databaseUrl)
    const paced = await measurePaced({ bench, receiver, operator }, how)
    await burst({ bench, receiver }, receivers, { ...how, run: 'warm-up' })
    const rounds: Webhooks['rounds'][number][] = []
    let [statements, cpuMs] = [0, 0]
    for (let i = 0; i < how.rounds; i++) {
      const raw = await burstRaw(receiver, how)
      const before = await readProbe(bench.probePath)
      const service = await burst({ bench, receiver }, receivers, { ...how, run: `burst-${i}` })
      const after = await readProbe(bench.probePath)
      statements += sum(statementsBetween(before, after))
      cpuMs += after.cpuMs - before.cpuMs
      rounds.push({ raw, service })
    }
    const sent = how.rounds * how.burst
    const each = { statementsPerWebhook: statements / sent, cpuUsPerWebhook: (cpuMs * 1_000) / sent }
    return { how, rounds, paced, ...each }
  } finally {
    await receiver.stop()
  }
}

async function measurePaced(
  needs: { bench: Bench; receiver: Receiver; operator: Readonly<Record<string, string>> },
  { receivers, seconds, rate }: WebhooksHow,
): Promise<Webhooks['paced']> {
  const { bench, receiver, operator } = needs
  const count = seconds * rate
  await receiver.forget()
  await readProbe(bench.probePath)
  const input: ChangeInput = { url: bench.url, headers: operator, receivers, count, rate, connections }
  const { perSecond, failures } = await runChild<ChangeResult>('./webhooks/change-load.ts', input)
  if (failures[0]) throw new Error(`a status was not changed: ${failures[0]}`)
  await arrive(receiver, (arrived) => arrived.count >= count)
  const lateMs = await receiver.lateness()
  const after: Reading = await readProbe(bench.probePath)
  return {
    changesPerSecond: perSecond,
    count,
    p50: percentile(lateMs, 0.5),
    p99: percentile(lateMs, 0.99),
    most: percentile(lateMs, 1),
    delayP99Ms: after.delayMs.p99,
  }
}

type Burst = Pick<WebhooksHow, 'receivers' | 'burst'>

/** Webhooks a second that receivers which answer get of the service, from the commit to the last of them. */
async function burst(
  { bench, receiver }: { bench: Bench; receiver: Receiver },
  receivers: Receivers,
  { burst: count, run }: Burst & { run: string },
): Promise<number> {
  await receiver.forget()
  await oweWebhooks(bench, receivers, { run, count, body: body() })
  const startedAt = Date.now()
  await notifyJob(bench.db, jobNames.deliverWebhooks)
  return await rateSince(receiver, startedAt, answeredOf(count, receivers.count))
}

/** The same by undici with nothing around it. */
async function burstRaw(receiver: Receiver, { receivers, burst: count }: Burst): Promise<number> {
  await receiver.forget()
  const notice = { id: '0', brandKey: 'service', deliveryId: '0', idempotencyKey: 'burst', body: body() }
  const headers = signedHeaders(notice, 'sk_test_of_the_webhooks_bench', systemClock.now())
  const input: RawInput = {
    port: receiver.port,
    receivers,
    count,
    headers,
    body: notice.body,
    atOnce: sendLimits.total,
  }
  const startedAt = await runChild<number>('./webhooks/raw-sender.ts', input)
  return await rateSince(receiver, startedAt, answeredOf(count, receivers))
}

async function rateSince(receiver: Receiver, startedAt: number, count: number): Promise<number> {
  const { lastAt } = await arrive(receiver, ({ answeredCount }) => answeredCount >= count)
  return (count * 1_000) / (lastAt - startedAt)
}

/** Waits for what the receivers are to have got. */
async function arrive(receiver: Receiver, isAll: (arrived: Arrivals) => boolean): Promise<Arrivals> {
  const endsAt = Date.now() + patienceMs
  for (;;) {
    const arrived = await receiver.count()
    if (isAll(arrived)) return arrived
    if (Date.now() > endsAt) throw new Error(`only ${arrived.count} webhooks came in time`)
    await sleep(250)
  }
}

function sum(counts: readonly (readonly [name: string, count: number])[]): number {
  return counts.reduce((total, [, count]) => total + count, 0)
}

/** As long as that of a receipt's event. */
function body(): string {
  return JSON.stringify({ event: 'receipt.status_updated', filler: 'x'.repeat(700), timestamp: Date.now() })
}
