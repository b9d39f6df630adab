import { constants } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Log } from '../log.ts'

/** A file of texts, one a line with its checksum. A text is on disk when `append` has resolved. */
export class Journal {
  readonly #file: FileHandle
  readonly #log: Log
  #size: number
  #waiting: { line: string; done: (error?: unknown) => void }[] = []
  #writing: Promise<void> | undefined

  private constructor(file: FileHandle, log: Log, size: number) {
    this.#file = file
    this.#log = log
    this.#size = size
  }

  /** Opens the journal in `folder`, which is made where it is missing, and gives what it holds, oldest first. */
  static async open(needs: { log: Log }, folder: string): Promise<{ journal: Journal; texts: string[] }> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const flags = constants.O_RDWR | constants.O_CREAT
    const file = await open(join(folder, 'journal'), flags, 0o600)
    const content = await file.readFile()
    const { texts, size } = readLines(needs.log, content)
    if (size < content.byteLength) await file.truncate(size)
    await file.sync()
    await syncFolder(folder)
    return { journal: new Journal(file, needs.log, size), texts }
  }

  /** How many bytes it holds. */
  get size(): number {
    return this.#size
  }

  /** Adds a text; those that come while one is written go to disk together. */
  append(text: string): Promise<void> {
    const line = `${checksum(text)} ${text}\n`
    return new Promise((resolve, reject) => {
      this.#waiting.push({ line, done: (error) => (error === undefined ? resolve() : reject(error)) })
      this.#writing ??= this.#write()
    })
  }

  /** Empties it. Whoever calls it knows all that is in it; what comes meanwhile is written afterwards. */
  async clear(): Promise<void> {
    while (this.#writing) await this.#writing
    const clearing = this.#cut(0)
    this.#writing = clearing.then(
      () => this.#write(),
      () => this.#write(),
    )
    await clearing
  }

  async close(): Promise<void> {
    await this.#writing
    await this.#file.close()
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting
      this.#waiting = []
      const bytes = Buffer.from(batch.map(({ line }) => line).join(''))
      const fault = await this.#put(bytes).catch((error: unknown) => error ?? new Error('not written'))
      for (const { done } of batch) done(fault)
    }
    this.#writing = undefined
  }

  async #put(bytes: Buffer): Promise<undefined> {
    try {
      for (let written = 0; written < bytes.byteLength; ) {
        const { bytesWritten } = await this.#file.write(bytes, written, undefined, this.#size + written)
        written += bytesWritten
      }
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

  async #cut(size: number): Promise<void> {
    await this.#file.truncate(size)
    await this.#file.sync()
    this.#size = size
  }
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

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0')
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  await folder.sync().finally(() => folder.close())
}
