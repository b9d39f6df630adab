import { middle } from '../middle.ts'
import { loadLine, machineLine, range, replaceFigures } from '../write-report.ts'
import type { Webhooks } from './measure-webhooks.ts'

/** The least ratio to undici alone, and the most milliseconds that one first attempt of a hundred may be late. */
export const webhookMarks = { ratio: 0.5, lateMs: 1_000 } as const

/** The ratio of each round. */
export function webhookRatios({ rounds }: Pick<Webhooks, 'rounds'>): number[] {
  return rounds.map(({ raw, service }) => service / raw)
}

/** Whether the marks are reached, give or take what befalls a run by chance. */
export function areWebhooksReached(webhooks: Pick<Webhooks, 'rounds' | 'paced'>, noise: number): boolean {
  return (
    middle(webhookRatios(webhooks)) >= webhookMarks.ratio * (1 - noise) &&
    webhooks.paced.p99 <= webhookMarks.lateMs * (1 + noise)
  )
}

/** Prints what was measured. */
export function printWebhooks(webhooks: Webhooks): void {
  const { how, rounds, paced, statementsPerWebhook, cpuUsPerWebhook } = webhooks
  console.log(`\nwebhooks, ${how.receivers} receivers, one in a hundred of which hangs`)
  for (const { raw, service } of rounds)
    console.log(
      `  undici ${raw.toFixed(0).padStart(6)}/s  sluice ${service.toFixed(0).padStart(6)}/s  ratio ${(service / raw).toFixed(2)}`,
    )
  console.log(
    `  ratio median ${middle(webhookRatios(webhooks)).toFixed(2)} (mark ${webhookMarks.ratio}); ` +
      `${statementsPerWebhook.toFixed(2)} statements and ${cpuUsPerWebhook.toFixed(0)} µs of a core per webhook`,
  )
  console.log(
    `  at ${paced.changesPerSecond.toFixed(0)} status changes/s: first attempt p50 ${paced.p50} ms  p99 ${paced.p99} ms ` +
      `(mark ${webhookMarks.lateMs})  most ${paced.most} ms  event loop late p99 ${paced.delayP99Ms.toFixed(1)} ms`,
  )
}

/** Writes the figures between their marks of docs/performance.md. */
export function writeWebhooks(webhooks: Webhooks, load: readonly [before: number, after: number]): void {
  const { how, rounds, paced, statementsPerWebhook, cpuUsPerWebhook } = webhooks
  const ratios = webhookRatios(webhooks)
  const burst = [
    `${range(rounds.map(({ raw }) => raw))}/s`,
    `${range(rounds.map(({ service }) => service))}/s`,
    `${middle(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)})`,
    `≥ ${webhookMarks.ratio}`,
    statementsPerWebhook.toFixed(2),
    `${cpuUsPerWebhook.toFixed(0)} µs`,
  ]
  const late = [
    `${paced.changesPerSecond.toFixed(0)}/s`,
    paced.count.toLocaleString('en'),
    `${paced.p50} ms`,
    `${paced.p99} ms`,
    `≤ ${webhookMarks.lateMs} ms`,
    `${paced.most} ms`,
  ]
  replaceFigures('webhooks', [
    `${machineLine()}; ${loadLine(load)}`,
    `${how.receivers.toLocaleString('en')} receivers of as many merchants, one in a hundred of which hangs; ` +
      `${how.rounds} rounds of ${how.burst.toLocaleString('en')} webhooks.`,
    '',
    '| undici alone | Sluice | Ratio: median (least) | Mark | Statements per webhook | Processor per webhook |',
    '|---|---|---|---|---|---|',
    `| ${burst.join(' | ')} |`,
    '',
    '| Status changes | Webhooks | First attempt late: p50 | p99 | Mark | Most |',
    '|---|---|---|---|---|---|',
    `| ${late.join(' | ')} |`,
  ])
}
