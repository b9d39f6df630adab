import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { repositoryRoot } from '../source/list-files.ts'
import { calmMs, calmRounds, type Half, halfMarkMs } from './half/judge-half.ts'
import type { Rest } from './measure-rest.ts'
import type { Measured, Rounds } from './measure-work.ts'
import { middle } from './middle.ts'
import { works } from './works.ts'

/** What was measured. */
export type Report = {
  readonly how: Rounds & { readonly count: number; readonly keyCount: number; readonly postgres: string }
  readonly load: readonly [before: number, after: number]
  readonly works: readonly Measured[]
  readonly halves: readonly Half[]
  readonly rest: Rest | undefined
}

/** The most that a service may do and hold at rest. */
export const restMarks = { statementsPerSecond: 40, rssMegabytes: 150 } as const

const path = 'docs/performance.md'

/** Writes the figures of a whole run between the marks of docs/performance.md. */
export function writeReport(report: Report): void {
  replaceFigures('measured', [
    ...machineLines(report),
    '',
    ...workLines(report.works),
    '',
    ...halfLines(report.halves),
    '',
    ...restLines(report),
  ])
}

/** Writes lines between the marks of that name in docs/performance.md. */
export function replaceFigures(name: string, lines: readonly string[]): void {
  const file = join(repositoryRoot, path)
  const text = readFileSync(file, 'utf8')
  const begin = `<!-- ${name}: begin -->`
  const [from, to] = [text.indexOf(begin), text.indexOf(`<!-- ${name}: end -->`)]
  if (from < 0 || to < from) throw new Error(`${path} has no place for the figures`)
  writeFileSync(file, text.slice(0, from + begin.length) + ['', ...lines, ''].join('\n') + text.slice(to))
}

/** The machine that was measured on. */
export function machineLine(): string {
  const [first] = cpus()
  return `${cpus().length} × ${first?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, Node.js ${process.version}`
}

/** How much else the machine did. */
export function loadLine([before, after]: readonly [before: number, after: number]): string {
  return `load of the machine ${before.toFixed(1)} before, ${after.toFixed(1)} after.`
}

function machineLines({ how, load }: Report): string[] {
  return [
    `${machineLine()}, PostgreSQL ${how.postgres}; ${loadLine(load)}`,
    `${how.count.toLocaleString('en')} receipts, ${how.connections} connections, ${how.keyCount.toLocaleString('en')} keys with the limits that are the default, ` +
      `${how.rounds} rounds of ${how.seconds} s.`,
  ]
}

function workLines(measured: readonly Measured[]): string[] {
  return [
    '| Work | PostgreSQL alone | Sluice | Ratio: median (least) | Mark | Statements per request | Processor per request | p50, p99 | Event loop late: p99 | Memory |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...measured.map((each) => {
      const { rounds, work, program } = each
      const cells = [
        works[work].what,
        `${range(rounds.map(({ limit }) => limit))}/s (${program})`,
        `${range(rounds.map(({ service }) => service.perSecond))}/s`,
        `${each.ratioMedian.toFixed(2)} (${each.ratioMin.toFixed(2)})`,
        `≥ ${works[work].mark}`,
        each.statementsPerRequest.toFixed(2),
        `${each.cpuUsPerRequest.toFixed(0)} µs`,
        `${middle(rounds.map(({ service }) => service.p50)).toFixed(1)} ms, ${middle(rounds.map(({ service }) => service.p99)).toFixed(1)} ms`,
        `${middle(rounds.map(({ after }) => after.delayMs.p99)).toFixed(1)} ms`,
        `${megabytes(Math.max(...rounds.map(({ after }) => after.rssBytes)))} MB`,
      ]
      return `| ${cells.join(' | ')} |`
    }),
  ]
}

function halfLines(halves: readonly Half[]): string[] {
  if (halves.length === 0) return []
  return [
    '| At half of the rate that saturates | PostgreSQL alone: p99 | A bare server: p99 | Requests | p50 | p99: median (most) | Mark | Rounds that count | Event loop late: p99 |',
    '|---|---|---|---|---|---|---|---|---|',
    ...halves.map((half) => {
      const { work, program, rounds } = half
      const calm = calmRounds(half)
      const counting = calm.length > 0 ? calm : rounds
      const all = (name: 'p50' | 'p99' | 'delayP99Ms' | 'bareP99') => counting.map((each) => each[name])
      const limits = counting.map(({ limit }) => limit.p99)
      const cells = [
        works[work].what,
        `${middle(limits).toFixed(1)} ms (${Math.max(...limits).toFixed(1)}; ${program})`,
        `${middle(all('bareP99')).toFixed(1)} ms (${Math.max(...all('bareP99')).toFixed(1)})`,
        `${range(counting.map(({ perSecond }) => perSecond))}/s`,
        `${middle(all('p50')).toFixed(1)} ms`,
        `${middle(all('p99')).toFixed(1)} ms (${Math.max(...all('p99')).toFixed(1)})`,
        `≤ ${halfMarkMs} ms`,
        calm.length > 0 ? `${calm.length} of ${rounds.length}` : `none; shown are all ${rounds.length}`,
        `${middle(all('delayP99Ms')).toFixed(1)} ms`,
      ]
      return `| ${cells.join(' | ')} |`
    }),
    '',
    `Rounds count in which a bare server, right before and after, had a p99 of ${calmMs} ms at most; those that count are shown.`,
  ]
}

function restLines({ rest }: Report): string[] {
  if (!rest) return []
  const { statementsPerSecond, rssBytes, cpuMs } = rest
  return [
    `At rest: ${statementsPerSecond.toFixed(1)} statements a second (≤ ${restMarks.statementsPerSecond}), ` +
      `${megabytes(rssBytes)} MB (≤ ${restMarks.rssMegabytes}), ${(cpuMs / 10).toFixed(1)} % of a core.`,
  ]
}

/** Bytes as whole megabytes. */
export function megabytes(bytes: number): number {
  return Math.round(bytes / 2 ** 20)
}

/** From the least to the most, as whole figures. */
export function range(figures: readonly number[]): string {
  const round = (figure: number) => Math.round(figure).toLocaleString('en')
  return `${round(Math.min(...figures))}–${round(Math.max(...figures))}`
}
