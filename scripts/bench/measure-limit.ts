import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../run/run-command.ts'
import type { BareStatement } from './bare-statement.ts'
import { runChild } from './run-child.ts'

/** How often a second PostgreSQL does a statement for a program that does nothing else, and which program it was. */
export type Limit = { readonly perSecond: number; readonly program: 'pgbench' | 'pg' }

/** Measures it by pgbench where that is installed, else by the bare driver in a process of its own. */
export async function measureLimit(
  url: string,
  statement: BareStatement,
  load: { connections: number; seconds: number },
): Promise<Limit> {
  return hasPgbench() ? byPgbench(url, statement, load) : byDriver(url, statement, load)
}

let knownPgbench: boolean | undefined

function hasPgbench(): boolean {
  knownPgbench ??= (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, 'pgbench')))
  return knownPgbench
}

async function byPgbench(
  url: string,
  { text, most }: BareStatement,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Limit> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  try {
    const script = join(folder, 'limit.sql')
    writeFileSync(script, `\\set n random(1, ${most})\n${text.replace(/\s+/g, ' ')};\n`)
    const options = ['-n', '-M', 'prepared', '-c', `${connections}`, '-j', '2', '-T', `${seconds}`]
    const { exitCode, output } = await runCommand('pgbench', [...options, '-f', script, url])
    const perSecond = Number(/tps = ([\d.]+)/.exec(output)?.[1])
    if (exitCode !== 0 || !(perSecond > 0)) throw new Error(`pgbench failed:\n${output}`)
    return { perSecond, program: 'pgbench' }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function byDriver(
  url: string,
  statement: BareStatement,
  load: { connections: number; seconds: number },
): Promise<Limit> {
  const perSecond = await runChild<number>('./bare-driver.ts', { url, ...statement, ...load })
  return { perSecond, program: 'pg' }
}
