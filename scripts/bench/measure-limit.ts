import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../run/run-command.ts'
import type { BareStatement } from './bare-statement.ts'
import { percentile } from './percentile.ts'
import { runChild } from './run-child.ts'

/** How often a second PostgreSQL does a statement for a program that does nothing else, and which program it was. */
export type Limit = {
  readonly perSecond: number
  /** In milliseconds, counted from when a statement was due; 0 where no rate was asked for. */
  readonly p99: number
  readonly program: 'pgbench' | 'pg'
}

/** What is asked of PostgreSQL alone. */
type LimitLoad = {
  readonly connections: number
  readonly seconds: number
  /** So many a second, whether those before are answered or not; absent: as many as go. */
  readonly rate?: number
}

/** Measures it by pgbench where that is installed, else by the bare driver in a process of its own. */
export async function measureLimit(url: string, statement: BareStatement, load: LimitLoad): Promise<Limit> {
  return hasPgbench() ? byPgbench(url, statement, load) : byDriver(url, statement, load)
}

/** How often a measurement is begun that pgbench gives up. */
const mostTries = 3

/** Of a measurement at a rate: by then each connection has made its plan. */
const planningMs = 1_000

let knownPgbench: boolean | undefined

function hasPgbench(): boolean {
  knownPgbench ??= (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, 'pgbench')))
  return knownPgbench
}

/**
 * A statement that creates waits for a lock for a moment only. The service goes on by another one then, and pgbench gives
 * up: what it did by then says nothing, and it begins anew.
 */
async function byPgbench(
  url: string,
  statement: BareStatement,
  load: LimitLoad,
  tries = mostTries,
): Promise<Limit> {
  const { text, most } = statement
  const { connections, seconds, rate } = load
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  try {
    const script = join(folder, 'limit.sql')
    writeFileSync(script, `\\set n random(1, ${most})\n${text.replace(/\s+/g, ' ')};\n`)
    const options = ['-n', '-M', 'prepared', '-c', `${connections}`, '-j', '2', '-T', `${seconds}`]
    // To log each time costs pgbench some of its own.
    const paced =
      rate === undefined ? [] : ['-R', `${Math.round(rate)}`, '-l', '--log-prefix', join(folder, 'times')]
    const { exitCode, output } = await runCommand('pgbench', [...options, ...paced, '-f', script, url])
    const perSecond = Number(/tps = ([\d.]+)/.exec(output)?.[1])
    const isLate = exitCode !== 0 && output.includes('due to lock timeout')
    if (isLate && tries > 1) return await byPgbench(url, statement, load, tries - 1)
    if (exitCode !== 0 || !(perSecond > 0)) throw new Error(`pgbench failed:\n${output}`)
    return { perSecond, p99: percentile(readTimes(folder), 0.99), program: 'pgbench' }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * The milliseconds of each transaction from pgbench's lines, without those of its first second, in which each connection
 * makes its plan. Of a line's words the third is how long it took, in microseconds, the fifth and sixth when it ended.
 */
function readTimes(folder: string): number[] {
  const files = readdirSync(folder).filter((name) => name.startsWith('times.'))
  const all = files.flatMap((name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'))
  const ended = all.map((line) => {
    const words = line.split(' ').map(Number)
    const [, , tookUs = 0, , second = 0, us = 0] = words
    return { tookMs: tookUs / 1_000, atMs: second * 1_000 + us / 1_000 }
  })
  const firstMs = ended.reduce((least, { atMs }) => Math.min(least, atMs), Number.POSITIVE_INFINITY)
  return ended.filter(({ atMs }) => atMs > firstMs + planningMs).map(({ tookMs }) => tookMs)
}

async function byDriver(url: string, statement: BareStatement, load: LimitLoad): Promise<Limit> {
  const figures = await runChild<Omit<Limit, 'program'>>('./bare-driver.ts', { url, ...statement, ...load })
  return { ...figures, program: 'pg' }
}
