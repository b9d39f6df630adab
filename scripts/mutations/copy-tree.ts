import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { repositoryRoot } from '../source/list-files.ts'

/** A copy of the repository that can be broken. */
export type Tree = { readonly path: string; remove(): void }

const left = new Set([
  '.git',
  'node_modules',
  'data',
  'coverage',
  '.cache',
  'contracts/out',
  'contracts/cache',
])
const scope = '@sluice'

/**
 * Copies the sources to a temporary folder. Packages are linked, not copied; the repository's own ones lead
 * into the copy, so that a change of `packages/` has its effect there.
 */
export function copyTree(): Tree {
  const path = mkdtempSync(join(tmpdir(), 'sluice-mutations-'))
  const remove = () => rmSync(path, { recursive: true, force: true })
  try {
    cpSync(repositoryRoot, path, {
      recursive: true,
      filter: (from) => !left.has(relative(repositoryRoot, from)),
    })
    linkPackages(path)
  } catch (error) {
    remove()
    throw error
  }
  return { path, remove }
}

function linkPackages(path: string): void {
  const from = join(repositoryRoot, 'node_modules')
  const to = join(path, 'node_modules')
  mkdirSync(join(to, scope), { recursive: true })
  for (const name of readdirSync(from)) {
    const isCache = name.startsWith('.') && name !== '.bin'
    if (!isCache && name !== scope) symlinkSync(resolve(from, name), join(to, name))
  }
  for (const name of readdirSync(join(from, scope))) {
    const home = relative(repositoryRoot, realpathSync(join(from, scope, name)))
    symlinkSync(join(path, home), join(to, scope, name))
  }
}
