import type { UnixMs } from '@sluice/protocol/time.ts'
import { optional, text, time } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { noteOnce } from '../database/inside-transaction.ts'
import { statement } from '../database/statement.ts'
import type { Log } from '../log.ts'
import { laneOf } from './lane.ts'

/** What there may be to do for a merchant. */
export type WorkKind = 'notices' | 'events' | 'deposits' | 'waiting'

/** Longer than any transaction lives: whoever found an entry open before it began to close has committed by then. */
const closesAfterMs = 10 * 60_000

/** How often all merchants are asked for work of a kind, whoever is on the list. */
const asksAllEveryMs = 10 * 60_000
/** The same after it has failed. */
const asksAgainMs = 60_000
const notedAtOnce = 5_000

/**
 * Notes that a merchant may have work of these kinds, in the transaction that makes it. Nothing is written and nobody
 * waits where that is noted already; where this process found it so a moment ago, nothing is asked.
 */
export async function noteWork(tx: Database, merchant: string, kinds: readonly WorkKind[]): Promise<void> {
  const key = `${kinds.join()} ${merchant}`
  await noteOnce(key, () => tx.run(note({ kinds, merchant, lane: laneOf(merchant) })))
}

/** Notes work of a kind for many merchants: very many of them in a few statements. */
async function noteWorkOf(db: Database, kind: WorkKind, merchants: readonly string[]): Promise<void> {
  const inOrder = merchants.toSorted()
  for (let from = 0; from < inOrder.length; from += notedAtOnce) {
    const each = inOrder
      .slice(from, from + notedAtOnce)
      .map((merchant) => ({ merchant, lane: laneOf(merchant) }))
    await db.run(noteAll({ kind, each }))
  }
}

/** The merchants that may have work of a kind, after `after` in their order. */
export async function listMerchantsWithWork<Merchant extends string>(
  db: Database,
  kind: WorkKind,
  page: { readonly lanes?: readonly number[]; readonly after?: string; readonly limit: number },
): Promise<Merchant[]> {
  const { after = '', limit } = page
  const rows = await db.rows(
    page.lanes ? listOfLanes({ kind, lanes: page.lanes, after, limit }) : list({ kind, after, limit }),
  )
  return rows.map(({ merchant }) => merchant as Merchant)
}

/** What keeping a list leans on. */
type DirectoryNeeds = {
  readonly db: Database
  readonly log: Log
}

/**
 * Keeps a list of merchants with work true, now and then: asks all of them, adds who is missing, and takes off who has
 * had none for a while.
 */
export class WorkDirectory {
  readonly #kind: WorkKind
  readonly #findBusy: (db: Database) => Promise<readonly string[]>
  #askedAt: UnixMs | undefined
  #isFailing = false

  /** @param findBusy - Every merchant with work of the kind, whether it is due or not. */
  constructor(kind: WorkKind, findBusy: (db: Database) => Promise<readonly string[]>) {
    this.#kind = kind
    this.#findBusy = findBusy
  }

  /**
   * Does so, if that is due. It asks about all merchants.
   *
   * Where it fails, for whatever reason, the list stays as it stands and is checked again a minute later: work that is
   * noted does not wait for that, and nearly all of it is.
   */
  async keep({ db, log }: DirectoryNeeds, now: UnixMs): Promise<void> {
    const goodForMs = this.#isFailing ? asksAgainMs : asksAllEveryMs
    if (this.#askedAt !== undefined && Math.abs(now - this.#askedAt) < goodForMs) return
    try {
      await this.#keep(db, now)
      this.#askedAt = now
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing)
        log.error(
          { err: error, kind: this.#kind },
          'the list of merchants with work could not be checked; work that is on it continues, and the check is retried every minute',
        )
      this.#askedAt = now
      this.#isFailing = true
    }
  }

  async #keep(db: Database, now: UnixMs): Promise<void> {
    // Before the question: what closes now has been seen idle after all who relied on it are gone.
    const closing = await db.rows(listClosing({ kind: this.#kind }))
    const busy = await this.#findBusy(db)
    const isBusy = new Set(busy)
    await noteWorkOf(db, this.#kind, busy)
    const idle = closing.filter(({ merchant }) => !isBusy.has(merchant))
    const open = idle.filter(({ closingAt }) => closingAt === undefined)
    const before = now - closesAfterMs
    const closed = idle.filter(({ closingAt }) => closingAt !== undefined && closingAt <= before)
    const of = (entries: typeof closing) => entries.map(({ merchant }) => merchant)
    // All at once: notices wait meanwhile, and merchants may be very many.
    if (open.length > 0) await db.run(close({ kind: this.#kind, merchants: of(open), now }))
    if (closed.length > 0) await db.run(drop({ kind: this.#kind, merchants: of(closed), before }))
  }
}

/** An entry that stands open is read and not touched: transactions of one merchant do not wait for each other. */
const note = statement({
  name: 'note-work-due',
  text: `INSERT INTO work_due (kind, merchant, lane)
    SELECT kind, :merchant, :lane::smallint FROM unnest(:kinds::text[]) AS kind
    WHERE NOT EXISTS (SELECT FROM work_due AS known
      WHERE known.kind = kind.kind AND known.merchant = :merchant AND known.closing_at IS NULL)
    ORDER BY kind
    ON CONFLICT (kind, merchant) DO UPDATE SET closing_at = NULL`,
})

/** In the order in which single ones are noted. */
const noteAll = statement({
  name: 'note-work-of-many',
  text: `INSERT INTO work_due (kind, merchant, lane)
    SELECT :kind, merchant, lane FROM unnest(:each.merchant::text[], :each.lane::smallint[]) AS each (merchant, lane)
    WHERE NOT EXISTS (SELECT FROM work_due AS known
      WHERE known.kind = :kind AND known.merchant = each.merchant AND known.closing_at IS NULL)
    ORDER BY merchant COLLATE "C"
    ON CONFLICT (kind, merchant) DO UPDATE SET closing_at = NULL`,
})

const list = statement({
  name: 'list-merchants-with-work',
  reads: { merchant: text() },
  text: `SELECT merchant FROM work_due WHERE kind = :kind AND merchant > :after ORDER BY merchant LIMIT :limit`,
})

const listOfLanes = statement({
  name: 'list-merchants-with-work-in-lanes',
  reads: { merchant: text() },
  text: `SELECT merchant FROM work_due WHERE kind = :kind AND lane = ANY(:lanes::smallint[]) AND merchant > :after
    ORDER BY merchant LIMIT :limit`,
})

const listClosing = statement({
  name: 'list-work-entries',
  reads: { merchant: text(), closingAt: optional(time()) },
  text: 'SELECT merchant, closing_at FROM work_due WHERE kind = :kind',
})

const close = statement({
  name: 'close-work-entry',
  text: `UPDATE work_due SET closing_at = :now
    WHERE kind = :kind AND merchant = ANY(:merchants::text[]) AND closing_at IS NULL`,
})

const drop = statement({
  name: 'drop-work-entry',
  text: `DELETE FROM work_due
    WHERE kind = :kind AND merchant = ANY(:merchants::text[]) AND closing_at <= :before`,
})
