import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { deserialize, serialize } from 'node:v8'
import { gunzip, gzip } from 'node:zlib'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Log } from '../platform/log.ts'
import { writePrivateFile } from '../platform/process/private-file.ts'
import type { EncodedImage } from './image.ts'

export type KeptImage = { readonly image: EncodedImage; readonly fetchedAt: UnixMs }

const maxFiles = 5_000
// The images are already compressed: gzip only adds a checksum.
const pack = promisify<Buffer, { level: number }, Buffer>(gzip)
const unpack = promisify<Buffer, Buffer>(gunzip)

/**
 * Image cache on disk, so that a restart does not refetch every image. Deletes the oldest files over
 * `maxBytes`.
 *
 * Ignores I/O errors: an unreadable image is fetched again.
 */
export class ImageFiles {
  readonly #needs: { readonly log: Log }
  readonly #folder: string
  readonly #maxBytes: number
  /** File sizes in bytes, in the order of deletion: oldest first. */
  readonly #sizes = new Map<string, number>()

  private constructor(needs: { log: Log }, folder: string, maxBytes: number) {
    this.#needs = needs
    this.#folder = folder
    this.#maxBytes = maxBytes
  }

  static async open(needs: { log: Log }, folder: string, maxBytes: number): Promise<ImageFiles> {
    const files = new ImageFiles(needs, folder, maxBytes)
    await files.#attempt('read', () => files.#look())
    return files
  }

  get bytes(): number {
    return [...this.#sizes.values()].reduce((sum, size) => sum + size, 0)
  }

  async read(name: string): Promise<KeptImage | undefined> {
    if (!this.#sizes.has(name)) return undefined
    try {
      return deserialize(await unpack(await readFile(join(this.#folder, name)))) as KeptImage
    } catch {
      await this.#remove(name)
      return undefined
    }
  }

  /** Stores an image under a name of 64 hexadecimal digits. */
  async write(name: string, kept: KeptImage): Promise<void> {
    await this.#attempt('written', async () => {
      const content = await pack(serialize(kept), { level: 0 })
      await writePrivateFile(join(this.#folder, name), content)
      this.#sizes.delete(name)
      this.#sizes.set(name, content.byteLength)
      await this.#makeRoom()
    })
  }

  async #look(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const names = await readdir(this.#folder)
    const found = await Promise.all(
      names.map(async (name) => ({ name, file: await stat(join(this.#folder, name)) })),
    )
    found.sort((a, b) => a.file.mtimeMs - b.file.mtimeMs)
    for (const { name, file } of found) this.#sizes.set(name, file.size)
    await this.#makeRoom()
  }

  async #makeRoom(): Promise<void> {
    for (const name of this.#sizes.keys()) {
      if (this.bytes <= this.#maxBytes && this.#sizes.size <= maxFiles) return
      await this.#remove(name)
    }
  }

  async #remove(name: string): Promise<void> {
    this.#sizes.delete(name)
    await rm(join(this.#folder, name), { force: true }).catch(() => {})
  }

  async #attempt(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#needs.log.warn(
        { err: error },
        `cached images cannot be ${what}; they are fetched again when needed`,
      )
    }
  }
}
