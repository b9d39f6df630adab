import { createHash } from 'node:crypto'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { findKept, listKept, manifestName } from './find-kept.mjs'

/** So many builds of a kind stay: a replica that began with an older one may still load a part of it. */
const keptBuilds = 3
const draftPrefix = 'draft-'
/** A draft that is older was left by a process that was killed. */
const draftLimitMs = 3_600_000

/** Where a kind of build is kept, and the repository that it is made from. */
export type BuildPlace = { readonly home: string; readonly root: string }

/** Where builds of a kind are kept in a repository. */
export function buildPlace(root: string, kind: string): BuildPlace {
  return { home: join(root, '.cache', kind), root }
}

/**
 * The folder with what `make` builds from the files that are here: that of an earlier call, else a new one.
 *
 * Written beside its place and moved there as a whole, so that a process that is killed leaves nothing that looks like a
 * build, and of two that build at once either may win.
 *
 * @param make - Writes into the folder it is given, without folders in it; gives the files that it read, relative to the
 * repository.
 * @throws where the place cannot be written, or `make` throws.
 */
export async function keepBuild(
  place: BuildPlace,
  make: (folder: string) => Promise<readonly string[]>,
): Promise<string> {
  const { home, root } = place
  const kept = findKept(home, root)
  if (kept !== undefined) return kept
  mkdirSync(home, { recursive: true })
  const draft = mkdtempSync(join(home, draftPrefix))
  const beganSecond = Math.floor(Date.now() / 1_000)
  try {
    const read = await make(draft)
    const inputs = [...new Set(read)].sort().map((path) => {
      const { size, mtimeMs } = statSync(join(root, path))
      const second = Math.floor(mtimeMs / 1_000)
      // Written while we read it: whoever comes next builds anew.
      return [path, second >= beganSecond ? -1 : size, second] as const
    })
    const outputs = readdirSync(draft).map((name) => [name, statSync(join(draft, name)).size] as const)
    const manifest = JSON.stringify({ root, node: process.version, outputs, inputs })
    writeFileSync(join(draft, manifestName), manifest)
    // Who installs a service need not be who runs it.
    chmodSync(draft, 0o755)
    const folder = join(home, createHash('sha256').update(manifest).digest('hex').slice(0, 16))
    moveInto(draft, folder, () => findKept(home, root) === folder)
    dropOthers(home, folder)
    return folder
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** Another process may have built the same meanwhile, and may be reading it; one that is not whole nobody reads. */
function moveInto(draft: string, folder: string, isKept: () => boolean): void {
  try {
    renameSync(draft, folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
    if (isKept()) return
    rmSync(folder, { recursive: true, force: true })
    renameSync(draft, folder)
  }
}

function dropOthers(home: string, own: string): void {
  const others = listKept(home).filter((folder) => folder !== own)
  const oldest = Date.now() - draftLimitMs
  const drafts = readdirSync(home)
    .filter((name) => name.startsWith(draftPrefix))
    .map((name) => join(home, name))
    .filter((path) => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) < oldest)
  for (const path of [...others.slice(keptBuilds - 1), ...drafts])
    rmSync(path, { recursive: true, force: true })
}

/** Whether a build failed because its place cannot be written: by this user, on this disk, or any more. */
export function isUnwritable(error: unknown): boolean {
  const codes = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOTDIR', 'EEXIST']
  return codes.includes((error as NodeJS.ErrnoException | undefined)?.code ?? '')
}
