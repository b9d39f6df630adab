import { appendFile, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Clock } from '../../kernel/clock.ts'
import { Outage } from '../../kernel/outage.ts'
import { type Random, randomUuid } from '../../kernel/random.ts'
import { isDatastoreOutage } from '../database/degraded.ts'
import type { Log } from '../log.ts'
import { DirectoryInUse, type InstanceLock, lockDirectory } from '../process/instance-lock.ts'

const maxBytes = 64 * 1024 * 1024

export type JournalRecord = {
  readonly id: string
  readonly at: UnixMs
  readonly kind: string
  readonly payload: unknown
}

type Apply = (record: JournalRecord) => Promise<void>
type SubjectOf = (record: JournalRecord) => string
type Taken = { readonly path: string; readonly lock: InstanceLock }
type Needs = { readonly clock: Clock; readonly random: Random; readonly log: Log }

/** Waiting records of one subject as lines, oldest first. Objects would take many times as much memory. */
type Queue = { readonly lines: Set<string>; run: Promise<void> | undefined; hasFailed: boolean }

/**
 * The write journal of one process: a JSONL file of the writes that it accepted while the database was
 * unavailable.
 *
 * A record is on disk (fsync) before `append` resolves. Records of one subject are applied in order. A record
 * that cannot be applied delays only its own subject. A crash can repeat a record, so `apply` checks its id.
 */
export class WriteJournal {
  readonly #needs: Needs
  readonly #path: string
  readonly #lock: InstanceLock
  readonly #subjectOf: SubjectOf
  readonly #queues = new Map<string, Queue>()
  #size = 0
  #pendingCount = 0
  #hasApplied = false
  /** Whether the file may end with an incomplete line. */
  #isTorn = false
  #writing: Promise<void> = Promise.resolve()

  private constructor(needs: Needs, { path, lock }: Taken, subjectOf: SubjectOf) {
    this.#needs = needs
    this.#path = path
    this.#lock = lock
    this.#subjectOf = subjectOf
  }

  /** Opens a journal in `folder`, with the records of every journal there that no running process owns. */
  static async open(
    needs: Needs,
    folder: string,
    subjectOf: SubjectOf = ({ kind }) => kind,
  ): Promise<WriteJournal> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const known = (await readdir(folder)).length
    const taken: Taken[] = []
    for (let number = 0; number < known || taken.length === 0; number++) {
      const path = join(folder, String(number))
      const lock = await lockDirectory(path).catch(ignoreInUse)
      if (lock) taken.push({ path: join(path, 'journal'), lock })
    }
    const [own, ...left] = taken as [Taken, ...Taken[]]
    const journal = new WriteJournal(needs, own, subjectOf)
    for (const { path } of taken) for (const line of await readLines(needs.log, path)) journal.#add(line)
    await journal.#rewrite()
    for (const { path, lock } of left) {
      await rm(path)
      lock.release()
    }
    const { pendingCount } = journal
    if (pendingCount > 0)
      needs.log.info({ pendingCount }, 'the write journal contains writes of an earlier process')
    return journal
  }

  get pendingCount(): number {
    return this.#pendingCount
  }

  get isEmpty(): boolean {
    return this.#pendingCount === 0 && !this.#hasApplied
  }

  isWaiting(subject: string): boolean {
    return this.#queues.has(subject)
  }

  /** Returns whether a record of the subject could not be applied although the database was available. */
  hasFailed(subject: string): boolean {
    return this.#queues.get(subject)?.hasFailed ?? false
  }

  /**
   * Stores a write. Resolves when the write is safe on disk.
   *
   * @param share - Part of the journal's capacity that this write may use.
   * @throws {Outage} if the capacity is used up.
   */
  append(kind: string, payload: unknown, share = 1): Promise<void> {
    return this.#alone(async () => {
      if (this.#size > maxBytes * share)
        throw new Outage('datastore', 'The datastore is unavailable, and the write journal is full')
      const { clock, random } = this.#needs
      const line = `${JSON.stringify({ id: randomUuid(random), at: clock.now(), kind, payload })}\n`
      if (this.#isTorn) await this.#rewrite()
      this.#isTorn = true
      await appendFile(this.#path, line, { flush: true })
      this.#isTorn = false
      this.#size += Buffer.byteLength(line)
      this.#add(line)
    })
  }

  /** Applies the records of a subject. Concurrent callers share one run. Throws the first failure. */
  async drain(subject: string, apply: Apply, signal?: AbortSignal): Promise<void> {
    const queue = this.#queues.get(subject)
    if (!queue) return
    queue.run ??= this.#drain(subject, queue, apply, signal).finally(() => {
      queue.run = undefined
    })
    await queue.run
  }

  /**
   * Applies all records by subject and removes them from the file. A failed subject comes last next time.
   *
   * @param goesOn - Decides after a failure whether to try other subjects.
   */
  async drainAll(
    apply: Apply,
    goesOn: (error: unknown) => Promise<boolean>,
    signal?: AbortSignal,
  ): Promise<void> {
    for (const subject of [...this.#queues.keys()]) {
      if (signal?.aborted) break
      try {
        await this.drain(subject, apply, signal)
      } catch (error) {
        this.#putLast(subject, error)
        if (!(await goesOn(error))) break
      }
    }
    if (this.#hasApplied) await this.#alone(() => this.#rewrite())
  }

  async close(): Promise<void> {
    await this.#writing
    this.#lock.release()
  }

  async #drain(subject: string, queue: Queue, apply: Apply, signal: AbortSignal | undefined): Promise<void> {
    for (const line of queue.lines) {
      if (signal?.aborted) return
      await apply(JSON.parse(line))
      queue.lines.delete(line)
      this.#pendingCount -= 1
      this.#hasApplied = true
    }
    this.#queues.delete(subject)
  }

  #putLast(subject: string, error: unknown): void {
    const queue = this.#queues.get(subject)
    if (!queue) return
    queue.hasFailed = !isDatastoreOutage(error)
    this.#queues.delete(subject)
    this.#queues.set(subject, queue)
  }

  #add(line: string): void {
    const subject = this.#subjectOf(JSON.parse(line))
    const queue = this.#queues.get(subject) ?? { lines: new Set(), run: undefined, hasFailed: false }
    this.#queues.set(subject, queue)
    if (!queue.lines.has(line)) this.#pendingCount += 1
    queue.lines.add(line)
  }

  /**
   * Replaces the file with one that contains the remaining records. A crash leaves either the old or the new
   * file.
   */
  async #rewrite(): Promise<void> {
    const text = [...this.#queues.values()].flatMap(({ lines }) => [...lines]).join('')
    this.#hasApplied = false
    this.#isTorn = true
    await writeFile(`${this.#path}.new`, text, { mode: 0o600, flush: true })
    await rename(`${this.#path}.new`, this.#path)
    this.#size = Buffer.byteLength(text)
    const folder = await open(dirname(this.#path))
    await folder.sync().finally(() => folder.close())
    this.#isTorn = false
  }

  #alone(work: () => Promise<void>): Promise<void> {
    const result = this.#writing.then(work)
    this.#writing = result.catch(() => {})
    return result
  }
}

function ignoreInUse(error: unknown): undefined {
  if (!(error instanceof DirectoryInUse)) throw error
}

/** Returns the complete lines. An incomplete last line, left by a crash, was never acknowledged. */
async function readLines(log: Log, path: string): Promise<string[]> {
  const text = await readFile(path, { encoding: 'utf8', flag: 'a+' })
  const lines = text.split(/(?<=\n)/).filter((line) => line.endsWith('\n'))
  const whole = lines.filter(isJson)
  const brokenCount = lines.length - whole.length
  if (brokenCount > 0) log.error({ brokenCount }, 'the write journal contains broken lines')
  return whole
}

function isJson(line: string): boolean {
  try {
    return typeof JSON.parse(line) === 'object'
  } catch {
    return false
  }
}
