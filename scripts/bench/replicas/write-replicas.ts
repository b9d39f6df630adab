import { middle } from '../middle.ts'
import { works } from '../works.ts'
import { loadLine, machineLine, range, replaceFigures } from '../write-report.ts'
import type { Replicas } from './measure-replicas.ts'

/** Prints what several replicas come to. */
export function printReplicas({ count, works: measured, deaths }: Replicas): void {
  console.log(`\n${count} replicas on one PostgreSQL`)
  for (const { work, rounds } of measured) {
    for (const { one, all } of rounds)
      console.log(
        `  one ${one.toFixed(0).padStart(6)}/s  ${count} ${all.toFixed(0).padStart(6)}/s  ratio ${(all / one).toFixed(2)}  ${works[work].what}`,
      )
  }
  for (const { work, death } of deaths)
    console.log(
      `  one dies (${works[work].what}): ${death.lost} requests lost, ${death.perSecondBefore.toFixed(0)}/s before and ` +
        `${death.perSecondAfter.toFixed(0)}/s after, back ${back(death.backAfterMs)}, p99 ${death.p99BeforeMs.toFixed(0)} ms ` +
        `before and ${death.p99AroundMs.toFixed(0)} ms in the 2 s after it`,
    )
}

/** Writes the figures between their marks of docs/performance.md. */
export function writeReplicas(replicas: Replicas, how: ReplicasHow): void {
  const { count, works: measured, deaths } = replicas
  replaceFigures('replicas', [
    `${machineLine()}; ${loadLine(how.load)}`,
    `${how.receipts.toLocaleString('en')} receipts, ${how.connections} connections in all, ${how.rounds} rounds of ${how.seconds} s.`,
    '',
    `| Work | One replica | ${count} replicas | Ratio: median (least) |`,
    '|---|---|---|---|',
    ...measured.map(({ work, rounds }) => {
      const ratios = rounds.map(({ one, all }) => all / one)
      const cells = [
        works[work].what,
        `${range(rounds.map(({ one }) => one))}/s`,
        `${range(rounds.map(({ all }) => all))}/s`,
        `${middle(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)})`,
      ]
      return `| ${cells.join(' | ')} |`
    }),
    '',
    `| One of ${count} dies by kill -9 | Requests lost | Rate before | After | Back | p99 before | In the 2 s after it |`,
    '|---|---|---|---|---|---|---|',
    ...deaths.map(({ work, death }) => {
      const cells = [
        works[work].what,
        `${death.lost}`,
        `${death.perSecondBefore.toFixed(0)}/s`,
        `${death.perSecondAfter.toFixed(0)}/s`,
        back(death.backAfterMs),
        `${death.p99BeforeMs.toFixed(0)} ms`,
        `${death.p99AroundMs.toFixed(0)} ms`,
      ]
      return `| ${cells.join(' | ')} |`
    }),
  ])
}

/** How it was measured, and what else the machine did. */
export type ReplicasHow = {
  readonly receipts: number
  readonly connections: number
  readonly rounds: number
  readonly seconds: number
  readonly load: readonly [before: number, after: number]
}

function back(ms: number | undefined): string {
  if (ms === undefined) return 'not seen'
  return ms === 0 ? 'at once' : `after ${(ms / 1_000).toFixed(2)} s`
}
