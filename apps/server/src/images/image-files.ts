import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Log } from '../platform/log.ts'
import type { EncodedImage } from './image.ts'

/** A picture with the time it was fetched at. */
export type KeptImage = { readonly image: EncodedImage; readonly fetchedAt: UnixMs }

type Head = {
  readonly fetchedAt: UnixMs
  readonly type: EncodedImage['type']
  readonly parts: readonly { readonly width: number; readonly bytes: number }[]
  readonly checksum: string
}

const maxFiles = 20_000
const namePattern = /^[0-9a-f]{64}$/

/**
 * Pictures on disk, so that a start does not fetch all of them anew: one file each, the oldest ones removed where they
 * come to more than they may. What cannot be read or written is done without: the picture is fetched again.
 */
export class ImageFiles {
  readonly #folder: string
  readonly #maxBytes: number
  readonly #log: Log
  /** By name, the oldest first. */
  readonly #sizes = new Map<string, number>()
  #bytes = 0
  #draftCount = 0

  private constructor(needs: { log: Log }, folder: string, maxBytes: number) {
    this.#log = needs.log
    this.#folder = folder
    this.#maxBytes = maxBytes
  }

  /** What is in the folder, which is made where it is missing. */
  static async open(needs: { log: Log }, folder: string, maxBytes: number): Promise<ImageFiles> {
    const files = new ImageFiles(needs, folder, maxBytes)
    await files.#attempt('read', () => files.#look())
    return files
  }

  /** What its files take together. */
  get bytes(): number {
    return this.#bytes
  }

  /** The picture of this name; `undefined` where there is none that is whole. */
  async read(name: string): Promise<KeptImage | undefined> {
    if (!this.#sizes.has(name)) return undefined
    const content = await readFile(join(this.#folder, name)).catch(() => undefined)
    const kept = content && parse(content)
    if (!kept) await this.#remove(name)
    return kept
  }

  /** Keeps a picture under a name of 64 hexadecimal digits. */
  async write(name: string, kept: KeptImage): Promise<void> {
    await this.#attempt('written', async () => {
      const content = serialise(kept)
      const draft = join(this.#folder, `${name}.${process.pid}-${this.#draftCount++}`)
      await writeFile(draft, content, { mode: 0o600 })
      await rename(draft, join(this.#folder, name))
      this.#count(name, content.byteLength)
      await this.#makeRoom()
    })
  }

  async #look(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const names = (await readdir(this.#folder)).slice(0, maxFiles)
    const found: { name: string; size: number; at: number }[] = []
    for (const name of names) {
      const path = join(this.#folder, name)
      if (!namePattern.test(name)) await rm(path, { force: true })
      else {
        const { size, mtimeMs } = await stat(path)
        found.push({ name, size, at: mtimeMs })
      }
    }
    for (const { name, size } of found.sort((a, b) => a.at - b.at)) this.#count(name, size)
    await this.#makeRoom()
  }

  async #makeRoom(): Promise<void> {
    for (const name of this.#sizes.keys()) {
      if (this.#bytes <= this.#maxBytes && this.#sizes.size <= maxFiles) return
      await this.#remove(name)
    }
  }

  #count(name: string, size: number): void {
    this.#bytes += size - (this.#sizes.get(name) ?? 0)
    this.#sizes.delete(name)
    this.#sizes.set(name, size)
  }

  async #remove(name: string): Promise<void> {
    this.#bytes -= this.#sizes.get(name) ?? 0
    this.#sizes.delete(name)
    await rm(join(this.#folder, name), { force: true }).catch(() => {})
  }

  async #attempt(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#log.warn({ err: error }, `kept pictures cannot be ${what}; they are fetched again when needed`)
    }
  }
}

function serialise({ image, fetchedAt }: KeptImage): Buffer {
  const bodies = Buffer.concat(image.variants.map(({ body }) => body))
  const head: Head = {
    fetchedAt,
    type: image.type,
    parts: image.variants.map(({ width, body }) => ({ width, bytes: body.byteLength })),
    checksum: checksum(bodies),
  }
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), bodies])
}

function parse(content: Buffer): KeptImage | undefined {
  const end = content.indexOf(10)
  const bodies = content.subarray(end + 1)
  const head = readHead(content.subarray(0, Math.max(0, end)).toString())
  if (!head || head.checksum !== checksum(bodies)) return undefined
  let at = 0
  const variants = head.parts.map(({ width, bytes }) => {
    // A copy: one width would hold the memory of all.
    const body = Buffer.from(bodies.subarray(at, at + bytes))
    at += bytes
    return { width, body }
  })
  return { fetchedAt: head.fetchedAt, image: { type: head.type, variants } }
}

function readHead(text: string): Head | undefined {
  try {
    return JSON.parse(text) as Head
  } catch {
    return undefined
  }
}

function checksum(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
