import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DirectoryInUse, type InstanceLock, lockDirectory } from './instance-lock.ts'

export type ProcessSlot = {
  leave(): Promise<void>
}

/**
 * Takes a slot in `folder` for `holder`, and passes the names of killed holders to `takeOver`.
 *
 * The operating system locks a slot while its process lives, so these holders are certainly dead. The process
 * need not wait for their leases to expire. If `takeOver` fails, the next process gets their names again.
 */
export async function takeProcessSlot(
  folder: string,
  holder: string,
  takeOver: (dead: readonly string[]) => Promise<void>,
): Promise<ProcessSlot> {
  const own = await lockFirstFree(folder)
  const others = await lockOthers(folder, own.path)
  try {
    const places = [own, ...others]
    const dead = await Promise.all(places.map(({ path }) => readName(path)))
    await takeOver(dead.filter((name) => name !== ''))
    await writeFile(nameFile(own.path), holder, { mode: 0o600 })
    for (const { path } of others) await rm(nameFile(path), { force: true })
  } catch (error) {
    own.lock.release()
    throw error
  } finally {
    for (const { lock } of others) lock.release()
  }
  return {
    async leave() {
      await rm(nameFile(own.path), { force: true })
      own.lock.release()
    },
  }
}

type Place = { readonly path: string; readonly lock: InstanceLock }

async function lockFirstFree(folder: string): Promise<Place> {
  for (let number = 0; ; number++) {
    const place = await tryLock(join(folder, String(number)))
    if (place) return place
  }
}

async function lockOthers(folder: string, ownPath: string): Promise<Place[]> {
  const places: Place[] = []
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const place = /^\d+$/.test(name) && path !== ownPath ? await tryLock(path) : undefined
    if (place) places.push(place)
  }
  return places
}

async function tryLock(path: string): Promise<Place | undefined> {
  try {
    return { path, lock: await lockDirectory(path) }
  } catch (error) {
    if (error instanceof DirectoryInUse) return undefined
    throw error
  }
}

function readName(path: string): Promise<string> {
  return readFile(nameFile(path), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
}

function nameFile(path: string): string {
  return join(path, 'holder')
}
