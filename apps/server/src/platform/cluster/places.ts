import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import { type Clock, isAhead } from '../../kernel/clock.ts'
import { text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { DatastoreAway, isDatastoreOutage, takesNoWrites } from '../database/degraded.ts'
import type { MerchantStatements } from '../database/pulse.ts'
import { statement } from '../database/statement.ts'
import type { Log } from '../log.ts'
import { MerchantPlaces } from './merchant-places.ts'

/** For a machine to say that it is there: one that stands still would be waited for with every statement. */
const answerLimitMs = 2_000

/** A machine that is not asked in time for want of a connection would seem to be away. */
const looksAtOnce = 8

/** Between two looks whether a machine is back. */
const firstPauseMs = 2_000
const longestPauseMs = 30_000

/** Where nothing is spread, that is asked again after this long: a service is stopped before its database is. */
const notSpreadForMs = 60_000

/** What is known of a machine that is away. */
type Away = {
  /** A name whose merchant would stand on it. */
  readonly near: string
  readonly since: UnixMs
  readonly tries: number
  readonly nextTry: UnixMs
  readonly isTried: boolean
}

/**
 * The machines that merchants are spread over, and which of them are away: work of merchants on those waits, and the
 * others' goes on. On one PostgreSQL nothing is ever asked but after an outage, and none is ever away.
 *
 * Known to this process alone, and learnt anew by the next one.
 */
export class Places {
  readonly #db: Database
  readonly #clock: Pick<Clock, 'now'>
  readonly #log: Log
  readonly #merchants: MerchantPlaces
  readonly #statements: MerchantStatements | undefined
  readonly #away = new Map<string, Away>()
  #looking: Promise<void> | undefined
  #notSpreadUntil = 0
  #findings = 0

  /** @param needs - `db`: connections that wait for nobody's requests; `merchantStatements`: what waits on those that do. */
  constructor(needs: {
    readonly db: Database
    readonly clock: Pick<Clock, 'now'>
    readonly log: Log
    readonly merchantStatements?: MerchantStatements
  }) {
    this.#db = needs.db
    this.#clock = needs.clock
    this.#log = needs.log
    this.#merchants = new MerchantPlaces(needs)
    this.#statements = needs.merchantStatements
    // A machine that stands still would be noticed by the first statement whose time is over.
    this.#statements?.whenLate(() => this.suspect(new DatastoreAway('A statement is late')))
  }

  /** How many machines are away. */
  get awayCount(): number {
    return this.#away.size
  }

  /** Whether any machine is away. */
  isAnyAway(): boolean {
    if (this.#away.size > 0) this.#lookForReturned()
    return this.#away.size > 0
  }

  /** When work of a merchant whose machine is away is worth another try. */
  nextTry(): UnixMs {
    return addMs(this.#clock.now(), longestPauseMs / 3)
  }

  /** Those of the merchants whose machine is away. Nothing is asked while none is. */
  async awayOf(merchants: Iterable<string>, db?: Database): Promise<ReadonlySet<string>> {
    if (!this.isAnyAway()) return none
    const places = await this.#merchants.ofAll(merchants, db)
    return new Set([...places].flatMap(([merchant, place]) => (this.#away.has(place) ? [merchant] : [])))
  }

  /**
   * Does work that leaves out the merchants whose machine is away, in whole or not at all; anew where a machine turns out
   * to be away meanwhile.
   *
   * @throws {DatastoreAway} where the database itself is away.
   */
  async despiteAway<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      const findings = this.#findings
      try {
        return await work()
      } catch (error) {
        if (!(await this.learn(error)) || this.#findings === findings) throw error
      }
    }
  }

  /** Whether an error befell work of a merchant because its machine is away. */
  async isAway(error: unknown, merchant: string): Promise<boolean> {
    return (await this.learn(error)) && (await this.awayOf([merchant])).size > 0
  }

  /**
   * Finds out after an outage which machines are away, if the database itself is there; whether any is. So is one that is
   * there and takes no writes.
   *
   * What an error says is not relied on: a machine that stands still shows as a statement that takes too long.
   */
  async learn(error: unknown): Promise<boolean> {
    if (!mayBeOfMachine(error)) return false
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
    try {
      await this.#looking
    } catch (failure) {
      if (!isDatastoreOutage(failure)) throw failure
      return false
    }
    return this.#away.size > 0
  }

  /** The same without anybody waiting for it. */
  suspect(error: unknown): void {
    this.learn(error).catch((failure) => this.#sayUnknown(failure))
  }

  #sayUnknown(failure: unknown): void {
    this.#log.error({ err: failure }, 'it is not known which machines of the database are there')
  }

  async #look(): Promise<void> {
    if (isAhead(this.#notSpreadUntil, this.#clock.now(), notSpreadForMs)) return
    const places = await this.#db.rows(list())
    if (places.length === 0) this.#notSpreadUntil = addMs(this.#clock.now(), notSpreadForMs)
    const unknown = places.filter(({ place }) => !this.#away.has(place))
    for (let from = 0; from < unknown.length; from += looksAtOnce)
      await Promise.all(
        unknown.slice(from, from + looksAtOnce).map(async ({ place, near }) => {
          const error = await this.#faultOf(near)
          if (error) this.#begin(place, near, error)
        }),
      )
  }

  #begin(place: string, near: string, error: unknown): void {
    const since = this.#clock.now()
    const nextTry = addMs(since, firstPauseMs)
    this.#away.set(place, { near, since, tries: 1, nextTry, isTried: false })
    this.#findings++
    this.#log.error(
      { alert: 'database-machine-away', place, err: error },
      'a machine of the database does not respond; the merchants on it wait, and the others continue',
    )
    if (this.#statements) this.#giveUpOn(this.#statements).catch((failure) => this.#sayUnknown(failure))
  }

  /** What waits for a machine that is away waits in vain, on connections that the merchants of the others could have. */
  async #giveUpOn(statements: MerchantStatements): Promise<void> {
    statements.giveUpOf(await this.awayOf(statements.merchants()))
  }

  /** Nobody waits for that: a machine that stands still takes its time not to answer. */
  #lookForReturned(): void {
    const now = this.#clock.now()
    for (const [place, away] of this.#away) {
      if (away.isTried || isAhead(away.nextTry, now, longestPauseMs)) continue
      this.#away.set(place, { ...away, isTried: true })
      void this.#faultOf(away.near).then((fault) =>
        fault ? this.#stay(place, away) : this.#end(place, away),
      )
    }
  }

  #stay(place: string, away: Away): void {
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** away.tries)
    const nextTry = addMs(this.#clock.now(), pauseMs)
    this.#away.set(place, { ...away, tries: away.tries + 1, nextTry, isTried: false })
  }

  #end(place: string, { since }: Away): void {
    this.#away.delete(place)
    const awayMs = this.#clock.now() - since
    this.#log.info({ place, awayMs }, 'a machine of the database responds again')
  }

  /** What keeps a machine from answering; `undefined` where it answers. */
  async #faultOf(near: string): Promise<unknown> {
    try {
      await this.#db.run(touch({ near }))
      return undefined
    } catch (error) {
      return mayBeOfMachine(error) ? error : undefined
    }
  }
}

/** Work as by `despiteAway`; simply done where no places are known. */
export function despiteAway<T>(places: Places | undefined, work: () => Promise<T>): Promise<T> {
  return places ? places.despiteAway(work) : work()
}

/**
 * Does work that asks all machines and that nobody waits for; `undefined`, and nothing is done, while one of them is away.
 */
export async function unlessAway<T>(
  places: Places | undefined,
  work: () => Promise<T>,
): Promise<T | undefined> {
  if (places?.isAnyAway()) return undefined
  try {
    return await work()
  } catch (error) {
    if (!(await places?.learn(error))) throw error
    return undefined
  }
}

/** Does work of each item's merchant whose machine is there; that of the others is left for a later round. */
export async function skipAway<Item extends { readonly merchant: string }>(
  places: Places | undefined,
  items: readonly Item[],
  work: (item: Item) => Promise<'stop' | unknown>,
): Promise<void> {
  const merchants = items.map(({ merchant }) => merchant)
  let away = await places?.awayOf(merchants)
  for (const item of items) {
    if (away?.has(item.merchant)) continue
    try {
      if ((await work(item)) === 'stop') return
    } catch (error) {
      if (!(await places?.isAway(error, item.merchant))) throw error
      away = await places?.awayOf(merchants)
    }
  }
}

/**
 * Asks about all merchants whose machines are there; where one turns out to be away meanwhile, again without its own.
 *
 * @param question - May be asked about nobody, which a statement takes for everybody's machine: to be answered without one.
 */
export function askPlaces<Merchant extends string, T>(
  places: Places | undefined,
  merchants: readonly Merchant[],
  question: (merchants: readonly Merchant[]) => Promise<T>,
): Promise<T> {
  return despiteAway(places, async () => {
    const away = await places?.awayOf(merchants)
    return question(away?.size ? merchants.filter((merchant) => !away.has(merchant)) : merchants)
  })
}

/** Why work of a merchant is put off whose machine is known to be away. */
export function machineAway(): DatastoreAway {
  return new DatastoreAway('The machine of the database that this merchant stands on does not respond')
}

function mayBeOfMachine(error: unknown): boolean {
  return isDatastoreOutage(error) || takesNoWrites(error)
}

const none: ReadonlySet<string> = new Set()

/** With a name for each whose merchant would stand there, whether there is one or not: no table of merchants is asked. */
const list = statement({
  name: 'list-places',
  reads: { place: text(), near: text() },
  text: `SELECT place, min(near) AS near FROM (
      SELECT number::text AS near, place_of(number::text) AS place FROM generate_series(1, 512) AS number) AS placed
    WHERE place IS NOT NULL GROUP BY place ORDER BY place`,
})

/** Finds no row, and is refused by a machine that only reads. */
const touch = statement({
  name: 'touch-place',
  limitMs: answerLimitMs,
  text: 'UPDATE merchant SET name = name WHERE merchant = :near',
})
