import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Clock } from '../../kernel/clock.ts'
import { Outage } from '../../kernel/outage.ts'
import { type Random, randomUuid } from '../../kernel/random.ts'
import type { Log } from '../log.ts'
import { DirectoryInUse, type InstanceLock, lockDirectory } from '../process/instance-lock.ts'
import { Journal } from './journal.ts'

const maxBytes = 64 * 1024 * 1024

/** Something to be done once the datastore is back. */
export type SpoolRecord = {
  readonly id: string
  readonly at: UnixMs
  /** Who knows how to do it. */
  readonly kind: string
  readonly payload: unknown
}

/** No more can be promised until the datastore is back. */
export class JournalFull extends Outage {
  constructor(message: string) {
    super('datastore', message)
  }
}

/**
 * What this process promised to do while the datastore was away, kept on disk until it is done.
 *
 * A record is on disk before it is acknowledged; after a crash the next process that opens a journal of the
 * folder does what it holds. A record may be done again after a crash in the midst of a replay, so that
 * `apply` must notice by its id.
 */
export class Spool {
  readonly #needs: { clock: Clock; random: Random; log: Log }
  readonly #journal: Journal
  readonly #lock: InstanceLock
  /** As they stand on disk: objects made of 64 MB of records would take many times that. */
  #pending: string[]
  #appendingCount = 0
  #replaying: Promise<number> | undefined

  private constructor(
    needs: { clock: Clock; random: Random; log: Log },
    own: { journal: Journal; lock: InstanceLock; pending: string[] },
  ) {
    this.#needs = needs
    this.#journal = own.journal
    this.#lock = own.lock
    this.#pending = own.pending
  }

  /**
   * Takes a journal in `folder` that no running process has, a new one where there is none, and brings over
   * what others hold whose processes are gone.
   */
  static async open(needs: { clock: Clock; random: Random; log: Log }, folder: string): Promise<Spool> {
    const own = await takeJournal(needs, folder)
    const spool = new Spool(needs, own)
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
    return this.#pending.length
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
    this.#appendingCount += 1
    try {
      const text = JSON.stringify(record)
      await this.#journal.append(text)
      this.#pending.push(text)
    } finally {
      this.#appendingCount -= 1
    }
    return record
  }

  /**
   * Does what waits, in order, and empties the journal when nothing does any more.
   *
   * The first `apply` that throws ends the round: that record and all after it wait for the next one.
   *
   * @returns how many were done.
   */
  replay(apply: (record: SpoolRecord) => Promise<void>): Promise<number> {
    this.#replaying ??= this.#replay(apply).finally(() => {
      this.#replaying = undefined
    })
    return this.#replaying
  }

  /** Lets go of the journal; what waits is done after the next start. */
  async close(): Promise<void> {
    await this.#replaying?.catch(() => {})
    await this.#journal.close()
    this.#lock.release()
  }

  async #replay(apply: (record: SpoolRecord) => Promise<void>): Promise<number> {
    let doneCount = 0
    for (let text = this.#pending[0]; text !== undefined; text = this.#pending[0]) {
      await apply(JSON.parse(text) as SpoolRecord)
      this.#pending.shift()
      doneCount += 1
    }
    // A record on its way is not among the pending ones yet: the journal is emptied after a later round then.
    if (this.#appendingCount === 0 && this.#journal.size > 0) await this.#journal.clear()
    return doneCount
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
      for (const text of texts) await this.#journal.append(text)
      for (const text of texts) this.#pending.push(text)
      await journal.clear()
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
      return { path, journal, lock, pending: texts }
    } catch (error) {
      if (!(error instanceof DirectoryInUse)) throw error
    }
  }
}
