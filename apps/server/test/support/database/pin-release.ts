import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const releasesPath = fileURLToPath(
  new URL('../../../../../contracts/deployments/releases.json', import.meta.url),
)

/** What is known of a contract: where it stands, and a hash of its code. */
type Pinned = { readonly address: string; readonly codeHash: string }

/** The contracts of a release. */
export type ReleasedContracts = {
  readonly factory: Pinned
  readonly splitImplementation: Pinned
  readonly depositImplementation: Pinned
  readonly initCodeHash: string
}

/** `contracts/deployments/releases.json`: the contracts as they are, and those of every release that is out. */
export type Releases<Current extends ReleasedContracts = ReleasedContracts> = {
  readonly current: Current
  readonly earlier: readonly ({ readonly release: string } & ReleasedContracts)[]
}

/**
 * The list with the contracts of now as those of `release`. Safe to repeat; an entry that is there is never changed or
 * taken away, for splits and deposits of it may hold money.
 */
export function pinRelease<R extends Releases>(releases: R, release: string): R {
  const { factory, splitImplementation, depositImplementation, initCodeHash } = releases.current
  const isPinned = releases.earlier.some(
    (each) => each.release === release && each.initCodeHash === initCodeHash,
  )
  if (isPinned) return releases
  const entry = { release, factory, splitImplementation, depositImplementation, initCodeHash }
  return { ...releases, earlier: [...releases.earlier, entry] }
}

/** Puts the contracts of now into the file as those of `release`. */
export function writeReleaseContracts(release: string): void {
  const releases = JSON.parse(readFileSync(releasesPath, 'utf8')) as Releases
  writeFileSync(releasesPath, `${JSON.stringify(pinRelease(releases, release), undefined, 2)}\n`)
}
