import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Clock } from '../../kernel/clock.ts'
import { Outage } from '../../kernel/outage.ts'
import { type Random, randomUuid } from '../../kernel/random.ts'
import type { Log } from '../log.ts'
import { DirectoryInUse, type InstanceLock, lockDirectory } from '../process/instance-lock.ts'
import { bytesInJournal, Journal } from './journal.ts'
import { type Line, type Waiting, WaitingRecords } from './waiting-records.ts'

const maxBytes = 64 * 1024 * 1024

/** A journal of less is not made anew for what is done of it. */
const smallBytes = 1024 * 1024

/** What is done leaves a journal of whatever size after this long, far sooner than the note of it leaves the database. */
const doneLifeMs = 86_400_000

/** Something to be done once the datastore is back. */
export type SpoolRecord = {
  readonly id: string
  readonly at: UnixMs
  /** Who knows how to do it. */
  readonly kind: string
  readonly payload: unknown
}

/** Does what was promised. What it throws makes the record wait, and all of its subject behind it. */
export type Apply = (record: SpoolRecord) => Promise<void>

/**
 * What becomes of a round when a record has failed: `go-on` with those of other subjects; `end`, and try others before
 * that subject in the next round; `stop` where it says nothing of the subject, and all wait as they did.
 */
export type Verdict = 'go-on' | 'end' | 'stop'

/** Decides it, by what {@link Apply} threw. */
export type Judge = (error: unknown, record: SpoolRecord) => Promise<Verdict>

/** What a record is about: only among records of the same subject does their order matter. */
export type SubjectOf = (record: Pick<SpoolRecord, 'kind' | 'payload'>) => string

type SpoolNeeds = { readonly clock: Clock; readonly random: Random; readonly log: Log }

/** No more can be promised until the datastore is back. */
export class JournalFull extends Outage {
  constructor(message: string) {
    super('datastore', message)
  }
}

/**
 * What this process promised to do while the datastore was away, kept on disk until it is done: in order within each
 * subject, and whatever becomes of other subjects.
 *
 * A record is on disk before it is acknowledged; after a crash the next process that opens a journal of the
 * folder does what it holds. A record may be done again after a crash, as long as the file holds it, so that `apply` must
 * notice by its id.
 */
export class Spool {
  readonly #needs: SpoolNeeds
  readonly #journal: Journal
  readonly #lock: InstanceLock
  readonly #subjectOf: SubjectOf
  readonly #waiting = new WaitingRecords(bytesInJournal)
  /** When something was done that the file still holds. */
  #doneSince: UnixMs | undefined
  #replaying: Promise<number> | undefined

  private constructor(
    needs: SpoolNeeds,
    own: { journal: Journal; lock: InstanceLock; subjectOf: SubjectOf },
  ) {
    this.#needs = needs
    this.#journal = own.journal
    this.#lock = own.lock
    this.#subjectOf = own.subjectOf
  }

  /**
   * Takes a journal in `folder` that no running process has, a new one where there is none, and brings over
   * what others hold whose processes are gone.
   */
  static async open(needs: SpoolNeeds, folder: string, subjectOf: SubjectOf = ofKind): Promise<Spool> {
    const own = await takeJournal(needs, folder)
    const spool = new Spool(needs, { ...own, subjectOf })
    for (const text of own.texts) spool.#add(text)
    for (const name of await readdir(folder)) {
      const path = join(folder, name)
      if (/^\d+$/.test(name) && path !== own.path) await spool.#adopt(path)
    }
    const { pendingCount } = spool
    if (pendingCount > 0)
      needs.log.info({ pendingCount }, 'a journal holds writes that an earlier process accepted')
    return spool
  }

  /** How many records wait. */
  get pendingCount(): number {
    return this.#waiting.count
  }

  /** Whether nothing waits, nor does the file hold what is done. */
  get isEmpty(): boolean {
    return this.#journal.size === 0
  }

  /** Whether anything of a subject waits. */
  isWaiting(subject: string): boolean {
    return this.#waiting.firstOf(subject) !== undefined
  }

  /** Whether anything of a subject waits that no round has tried in vain. */
  isDue(subject: string): boolean {
    return this.isWaiting(subject) && !this.#waiting.isLate(subject)
  }

  /**
   * Promises to do something later; resolves when that is safe on disk.
   *
   * @param share - Of the journal's room, how much may be taken before this is refused.
   * @throws {JournalFull}
   */
  async append(kind: string, payload: unknown, share = 1): Promise<SpoolRecord> {
    if (this.#journal.size > maxBytes * share)
      throw new JournalFull('The journal has no room for another promise while the datastore is away')
    const { clock, random } = this.#needs
    const record: SpoolRecord = { id: randomUuid(random), at: clock.now(), kind, payload }
    const text = JSON.stringify(record)
    await this.#journal.append(text, () => this.#waiting.add(this.#subjectOf(record), text))
    return record
  }

  /**
   * Does what waits, in order, and takes out of the journal what is done, where that is worth it. Subjects that were put
   * off come last.
   *
   * @param judge - Called with what `apply` threw; without it the first failure ends the round, and is thrown.
   * @param signal - Ends the round after the record that is under way.
   * @returns how many were done.
   */
  replay(apply: Apply, judge: Judge = fail, signal?: AbortSignal): Promise<number> {
    this.#replaying ??= this.#replay(apply, judge, signal).finally(() => {
      this.#replaying = undefined
    })
    return this.#replaying
  }

  /**
   * Does what waits of one subject, in order; the first failure is thrown.
   *
   * @returns how many were done.
   */
  async replayOf(subject: string, apply: Apply): Promise<number> {
    let doneCount = 0
    for (let first = this.#waiting.firstOf(subject); first; first = this.#waiting.firstOf(subject)) {
      await this.#doFirst(first, apply)
      doneCount += 1
    }
    return doneCount
  }

  /** Lets go of the journal; what waits is done after the next start. */
  async close(): Promise<void> {
    await this.#replaying?.catch(() => {})
    await this.#journal.close()
    this.#lock.release()
  }

  async #replay(apply: Apply, judge: Judge, signal: AbortSignal | undefined): Promise<number> {
    let doneCount = 0
    const step = async (line: Line): Promise<'done' | Verdict> => {
      const { first } = line
      if (!first) return 'go-on'
      try {
        await this.#doFirst(first, apply)
        doneCount += 1
        return 'done'
      } catch (error) {
        const verdict = await judge(error, parse(first))
        if (verdict !== 'stop') this.#waiting.putOff(line)
        return verdict
      }
    }
    const late = this.#waiting.late()
    let last: 'done' | Verdict = 'done'
    const isOver = () => last === 'end' || last === 'stop' || signal?.aborted
    for (const { line } of this.#waiting.inOrder()) {
      last = await step(line)
      if (isOver()) break
    }
    for (const line of late) {
      if (isOver()) break
      do last = await step(line)
      while (last === 'done' && !isOver())
    }
    await this.#takeOutDone()
    return doneCount
  }

  /** Does the first of a line, once, however many want it done. */
  #doFirst(first: Waiting, apply: Apply): Promise<void> {
    const { line } = first
    line.doing ??= this.#do(first, apply).finally(() => {
      line.doing = undefined
    })
    return line.doing
  }

  async #do(first: Waiting, apply: Apply): Promise<void> {
    await apply(parse(first))
    this.#waiting.shift(first.line)
    this.#doneSince ??= this.#needs.clock.now()
  }

  #add(text: string): void {
    this.#waiting.add(this.#subjectOf(JSON.parse(text) as SpoolRecord), text)
  }

  async #takeOutDone(): Promise<void> {
    if (!this.#isWorthRemaking()) return
    const since = this.#doneSince
    const remaking = this.#journal.remake(() => {
      if (!this.#isWorthRemaking()) return undefined
      this.#doneSince = undefined
      return this.#waiting.texts()
    })
    await remaking.catch((error: unknown) => {
      this.#doneSince = since
      throw error
    })
  }

  #isWorthRemaking(): boolean {
    const { size } = this.#journal
    if (size === 0) return false
    if (this.#waiting.count === 0) return true
    if (size > smallBytes && this.#waiting.bytes < size / 2) return true
    return this.#doneSince !== undefined && this.#needs.clock.now() - this.#doneSince >= doneLifeMs
  }

  async #adopt(path: string): Promise<void> {
    let lock: InstanceLock
    try {
      lock = await lockDirectory(path)
    } catch (error) {
      if (error instanceof DirectoryInUse) return
      throw error
    }
    try {
      const { journal, texts } = await Journal.open(this.#needs, path)
      await Promise.all(texts.map((text) => this.#journal.append(text, () => this.#add(text))))
      await journal.remake(() => [])
      await journal.close()
    } finally {
      lock.release()
    }
  }
}

async function takeJournal(needs: { log: Log }, folder: string) {
  for (let number = 0; ; number++) {
    const path = join(folder, String(number))
    try {
      const lock = await lockDirectory(path)
      const { journal, texts } = await Journal.open(needs, path)
      return { path, journal, lock, texts }
    } catch (error) {
      if (!(error instanceof DirectoryInUse)) throw error
    }
  }
}

function parse({ text }: Waiting): SpoolRecord {
  return JSON.parse(text) as SpoolRecord
}

function ofKind({ kind }: Pick<SpoolRecord, 'kind'>): string {
  return kind
}

async function fail(error: unknown): Promise<never> {
  throw error
}
