import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../run/run-command.ts'
import { connections, type LoadResult, percentile, planningMs } from './load.ts'

/**
 * Measures a statement with pgbench, which must be installed.
 *
 * @param load.most - Upper bound of the random number `:n` in the statement; the lower bound is 1.
 * @param load.rate - Transactions per second. If absent, pgbench runs at full speed and no times are
 *   returned.
 */
export async function runPgbench(
  url: string,
  statement: string,
  { most, seconds, rate }: { most: number; seconds: number; rate?: number },
): Promise<Omit<LoadResult, 'requests'>> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  try {
    const script = join(folder, 'statement.sql')
    writeFileSync(script, `\\set n random(1, ${most})\n${statement};\n`)
    const paced = rate === undefined ? [] : ['-R', `${rate}`, '-l', '--log-prefix', join(folder, 'times')]
    const options = ['-n', '-M', 'prepared', '-c', `${connections}`, '-j', '2', '-T', `${seconds}`, ...paced]
    const { exitCode, output } = await runCommand('pgbench', [...options, '-f', script, url])
    const perSecond = Number(/tps = ([\d.]+)/.exec(output)?.[1])
    if (exitCode !== 0 || !(perSecond > 0)) throw new Error(`pgbench failed:\n${output}`)
    const times = readTimes(folder)
    return { perSecond, p50: percentile(times, 0.5), p99: percentile(times, 0.99) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns the milliseconds of each transaction, counted from when it was due, without the first second. */
function readTimes(folder: string): number[] {
  const files = readdirSync(folder).filter((name) => name.startsWith('times.'))
  const lines = files.flatMap((name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'))
  // columns: client, transaction, microseconds, script, end time in seconds and microseconds, lag
  const ended = lines.map((line) => {
    const [, , us = 0, , second = 0, fraction = 0] = line.split(' ').map(Number)
    return { ms: us / 1_000, dueAt: second * 1_000 + (fraction - us) / 1_000 }
  })
  const firstAt = ended.reduce((least, { dueAt }) => Math.min(least, dueAt), Number.POSITIVE_INFINITY)
  return ended.filter(({ dueAt }) => dueAt >= firstAt + planningMs).map(({ ms }) => ms)
}
