import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Log } from '../log.ts'

const ownName = 'journal'
const unfinishedName = 'journal.new'

/** Written at once where the journal is made anew. */
const pieceLength = 1024 * 1024

type Added = {
  readonly line: string
  readonly onDisk: () => void
  readonly done: (error?: unknown) => void
}
type Remade = {
  readonly choose: () => readonly string[] | undefined
  readonly done: (error?: unknown) => void
}

/** A file of texts, one a line with its checksum. A text is on disk when `append` has resolved. */
export class Journal {
  readonly #log: Log
  readonly #folder: string
  #file: FileHandle
  #size: number
  /** Whether a crash of the machine would leave the file that is written to under its name. */
  #isNameSafe = true
  #waiting: Added[] = []
  #remaking: Remade[] = []
  #writing: Promise<void> | undefined

  private constructor(own: { log: Log; folder: string; file: FileHandle; size: number }) {
    this.#log = own.log
    this.#folder = own.folder
    this.#file = own.file
    this.#size = own.size
  }

  /** Opens the journal in `folder`, which is made where it is missing, and gives what it holds, oldest first. */
  static async open(needs: { log: Log }, folder: string): Promise<{ journal: Journal; texts: string[] }> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await rm(join(folder, unfinishedName), { force: true })
    const flags = constants.O_RDWR | constants.O_CREAT
    const file = await open(join(folder, ownName), flags, 0o600)
    const content = await file.readFile()
    const { texts, size } = readLines(needs.log, content)
    if (size < content.byteLength) await file.truncate(size)
    await file.sync()
    await syncFolder(folder)
    return { journal: new Journal({ log: needs.log, folder, file, size }), texts }
  }

  /** How many bytes it holds. */
  get size(): number {
    return this.#size
  }

  /**
   * Adds a text; those that come while one is written go to disk together.
   *
   * @param onDisk - Called as soon as it is safe, before anything else is done to the file.
   */
  append(text: string, onDisk: () => void = () => {}): Promise<void> {
    return this.#soon((done) => this.#waiting.push({ line: lineOf(text), onDisk, done }))
  }

  /**
   * Makes it anew, of other texts: after a crash at any moment it holds either these or what it held before. What is
   * appended meanwhile comes after them.
   *
   * @param choose - Called when all that was appended is on disk or refused; `undefined` leaves the journal as it is.
   */
  remake(choose: () => readonly string[] | undefined): Promise<void> {
    return this.#soon((done) => this.#remaking.push({ choose, done }))
  }

  async close(): Promise<void> {
    await this.#writing
    await this.#file.close()
  }

  #soon(enter: (done: (error?: unknown) => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      enter((error) => (error === undefined ? resolve() : reject(error)))
      this.#writing ??= this.#write()
    })
  }

  /** One thing after the other. Appending never waits for more than one making anew, nor that for more than one batch. */
  async #write(): Promise<void> {
    while (this.#waiting.length > 0 || this.#remaking.length > 0) {
      const remade = this.#remaking.shift()
      if (remade) remade.done(await faultOf(() => this.#replace(remade.choose())))
      const batch = this.#waiting
      this.#waiting = []
      if (batch.length === 0) continue
      const bytes = Buffer.from(batch.map(({ line }) => line).join(''))
      const fault = await faultOf(() => this.#put(bytes))
      if (fault === undefined) for (const { onDisk } of batch) onDisk()
      for (const { done } of batch) done(fault)
    }
    this.#writing = undefined
  }

  async #put(bytes: Buffer): Promise<void> {
    await this.#saveName()
    try {
      await writeAt(this.#file, bytes, this.#size)
      await this.#file.datasync()
      this.#size += bytes.byteLength
    } catch (error) {
      // What was not acknowledged must not be read back later as if it had been.
      await this.#cut(this.#size).catch((cutError) =>
        this.#log.error({ err: cutError }, 'an unacknowledged part of a journal could not be removed'),
      )
      throw error
    }
  }

  async #replace(texts: readonly string[] | undefined): Promise<void> {
    if (!texts) return
    if (texts.length === 0) return this.#cut(0)
    const path = join(this.#folder, unfinishedName)
    const file = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC, 0o600)
    let size = 0
    try {
      for (const piece of piecesOf(texts)) size += await writeAt(file, piece, size)
      await file.sync()
      await rename(path, join(this.#folder, ownName))
    } catch (error) {
      await file.close()
      await rm(path, { force: true })
      throw error
    }
    const before = this.#file
    this.#file = file
    this.#size = size
    this.#isNameSafe = false
    await before.close()
    await this.#saveName()
  }

  /** Nothing is acknowledged that a crash could leave in a file without a name. */
  async #saveName(): Promise<void> {
    if (this.#isNameSafe) return
    await syncFolder(this.#folder)
    this.#isNameSafe = true
  }

  async #cut(size: number): Promise<void> {
    await this.#file.truncate(size)
    await this.#file.sync()
    this.#size = size
  }
}

/** How many bytes of a journal a text takes. */
export function bytesInJournal(text: string): number {
  return Buffer.byteLength(text) + 10
}

/**
 * The texts of the lines that are whole, and where the last of them ends. A line cut short by a crash was
 * never acknowledged. One in the middle that does not fit its checksum means a broken disk: the others count.
 */
function readLines(log: Log, content: Buffer): { texts: string[]; size: number } {
  const texts: string[] = []
  let size = 0
  let brokenCount = 0
  for (let start = 0; start < content.byteLength; ) {
    const end = content.indexOf(10, start)
    if (end === -1) break
    const line = content.toString('utf8', start, end)
    start = end + 1
    if (line.slice(0, 8) === checksum(line.slice(9)) && line[8] === ' ') {
      texts.push(line.slice(9))
      size = start
    } else brokenCount += 1
  }
  if (brokenCount > 0) log.error({ brokenCount }, 'lines of a journal do not match their checksums')
  return { texts, size }
}

function lineOf(text: string): string {
  return `${checksum(text)} ${text}\n`
}

function* piecesOf(texts: readonly string[]): Iterable<Buffer> {
  let lines: string[] = []
  let length = 0
  for (const text of texts) {
    lines.push(lineOf(text))
    length += text.length
    if (length < pieceLength) continue
    yield Buffer.from(lines.join(''))
    lines = []
    length = 0
  }
  if (lines.length > 0) yield Buffer.from(lines.join(''))
}

/** Writes all of it; how many bytes that were. */
async function writeAt(file: FileHandle, bytes: Buffer, position: number): Promise<number> {
  for (let written = 0; written < bytes.byteLength; )
    written += (await file.write(bytes, written, undefined, position + written)).bytesWritten
  return bytes.byteLength
}

async function faultOf(work: () => Promise<void>): Promise<unknown> {
  try {
    await work()
    return undefined
  } catch (error) {
    return error ?? new Error('not written')
  }
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0')
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  await folder.sync().finally(() => folder.close())
}
