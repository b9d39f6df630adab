import type { Start } from './measure-start.ts'
import { loadLine, machineLine, replaceFigures } from './write-report.ts'

/** Prints how long starts took. */
export function printStart(starts: readonly Start[]): void {
  console.log('\nstarts')
  for (const { what, markMs, readyMs, cpuMs } of starts) {
    const mark = markMs === undefined ? '' : ` (mark ${seconds(markMs)})`
    console.log(`  ready after ${seconds(readyMs)}${mark}, ${seconds(cpuMs)} of a core: ${what}`)
  }
}

/** Whether each start is within its mark, give or take what befalls a run by chance. */
export function isStartReached(starts: readonly Start[], noise: number): boolean {
  return starts.every(({ markMs, readyMs }) => markMs === undefined || readyMs <= markMs * (1 + noise))
}

/** Writes the figures between their marks of docs/performance.md. */
export function writeStart(starts: readonly Start[], load: readonly [before: number, after: number]): void {
  replaceFigures('started', [
    `${machineLine()}; ${loadLine(load)}`,
    '',
    '| Start | Ready after | Mark | Processor time of the service |',
    '|---|---|---|---|',
    ...starts.map(({ what, markMs, readyMs, cpuMs }) => {
      const mark = markMs === undefined ? 'none' : `≤ ${seconds(markMs)}`
      return `| ${what} | ${seconds(readyMs)} | ${mark} | ${seconds(cpuMs)} |`
    }),
  ])
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
