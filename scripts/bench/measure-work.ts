import { randomBytes } from 'node:crypto'
import type { LoadInput, LoadResult } from './load.ts'
import { type Limit, measureLimit } from './measure-limit.ts'
import type { Bench } from './open-bench.ts'
import { type Reading, readProbe, statementsBetween } from './read-probe.ts'
import { runChild } from './run-child.ts'
import { type WorkName, works } from './works.ts'

/** What one work came to over all rounds. */
export type Measured = {
  readonly work: WorkName
  readonly program: Limit['program']
  readonly rounds: readonly {
    readonly limit: number
    readonly service: LoadResult
    readonly after: Reading
  }[]
  readonly ratioMin: number
  readonly ratioMedian: number
  readonly statementsPerRequest: number
  /** Processor time of the service for each request, in microseconds: says something on a busy machine too. */
  readonly cpuUsPerRequest: number
  /** The most frequent, by name, for each request. */
  readonly statements: readonly (readonly [name: string, perRequest: number])[]
}

/** How it is measured. */
export type Rounds = { readonly rounds: number; readonly seconds: number; readonly connections: number }

/** Long enough for what is asked all the time to be compiled. */
export const warmUpSeconds = 6

/** Measures PostgreSQL and the service in turns, so that what else the machine does befalls both. */
export async function measureWork(bench: Bench, work: WorkName, how: Rounds): Promise<Measured> {
  const statement = await works[work].limit(bench.db, bench)
  await load(bench, work, { ...how, seconds: warmUpSeconds })
  const rounds: Measured['rounds'][number][] = []
  const sent = new Map<string, number>()
  let program: Limit['program'] = 'pg'
  let cpuMs = 0
  for (let i = 0; i < how.rounds; i++) {
    const limit = await measureLimit(bench.databaseUrl, statement, how)
    program = limit.program
    const before = await readProbe(bench.probePath)
    const service = await load(bench, work, how)
    const after = await readProbe(bench.probePath)
    for (const [name, count] of statementsBetween(before, after))
      sent.set(name, (sent.get(name) ?? 0) + count)
    cpuMs += after.cpuMs - before.cpuMs
    rounds.push({ limit: limit.perSecond, service, after })
  }
  const ratios = rounds.map(({ limit, service }) => service.perSecond / limit).sort((a, b) => a - b)
  const requests = rounds.reduce((sum, { service }) => sum + service.requests, 0)
  const statements = [...sent].map(([name, count]) => [name, count / requests] as const)
  return {
    work,
    program,
    rounds,
    ratioMin: ratios[0] ?? 0,
    ratioMedian: ratios[Math.floor(ratios.length / 2)] ?? 0,
    statementsPerRequest: statements.reduce((sum, [, each]) => sum + each, 0),
    cpuUsPerRequest: (cpuMs * 1_000) / requests,
    statements: statements.sort(([, a], [, b]) => b - a).slice(0, 12),
  }
}

/** Which of each connection's keys begins the next load: those before have used what their limits leave them for a minute. */
const nextKeys = new WeakMap<Bench['keys'], number>()

/** Has the service asked by a program of its own; every answer must be a good one. */
export async function load(
  bench: Bench,
  work: WorkName,
  how: Omit<Rounds, 'rounds'> & { readonly rate?: number },
): Promise<LoadResult> {
  const { url, keys, perKey, count } = bench
  const { connections, seconds, rate } = how
  const run = `load-${randomBytes(6).toString('hex')}`
  const input: LoadInput = {
    url,
    keys,
    firstKey: nextKeys.get(keys) ?? 0,
    ...(perKey && { perKey: perKey(works[work].request(run, 0, count)) }),
    work,
    run,
    count,
    connections,
    seconds,
    ...(rate !== undefined && { rate }),
  }
  const result = await runChild<LoadResult>('./load.ts', input)
  nextKeys.set(keys, input.firstKey + result.keysUsed)
  const [failure] = Object.entries(result.failures)
  if (failure)
    throw new Error(`${work}: ${failure[1].count} answers ${failure[0]}, such as ${failure[1].sample}`)
  return result
}
