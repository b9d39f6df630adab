import { createConnection } from 'node:net'
import { text } from 'node:stream/consumers'

/** What a service under measurement says of itself; the delays are those since it was asked last. */
export type Reading = {
  /** How often each statement was sent since the start, by its name. */
  readonly statements: Readonly<Record<string, number>>
  readonly delayMs: { readonly p50: number; readonly p99: number; readonly max: number }
  /** How often V8 collected old data since the start. */
  readonly collections: number
  readonly rssBytes: number
  readonly cpuMs: number
}

/** Asks the probe that was loaded into a service. */
export async function readProbe(socketPath: string): Promise<Reading> {
  return JSON.parse(await text(createConnection(socketPath))) as Reading
}

/** How many statements were sent between two readings, by name, the most frequent first. */
export function statementsBetween(before: Reading, after: Reading): [name: string, count: number][] {
  return Object.entries(after.statements)
    .map(([name, count]): [string, number] => [name, count - (before.statements[name] ?? 0)])
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
}
