import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isBuilt, writeBuilt } from '../../platform/built-files.mjs'
import { type BundleOptions, makeBundles, repository } from './make-bundles.ts'
import type { Asset } from './send-page.ts'

const types = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
} as const

/**
 * The scripts and style sheets of the pages, by name: those in `dist`, built anew if a file that they were made from is
 * newer. If `dist` cannot be written, they are made at each start.
 */
export async function findBundles(
  options: BundleOptions,
): Promise<(name: string, ending: keyof typeof types) => Asset> {
  const read = await findFiles(options)
  return (name, ending) => ({
    type: types[ending],
    body: read(`${name}.${ending}`),
    gzip: read(`${name}.${ending}.gz`),
  })
}

/**
 * Builds them into `dist`, unless they are there.
 *
 * @throws if `dist` cannot be written.
 */
export async function buildBundles(options: BundleOptions): Promise<void> {
  const list = listOf(options)
  if (!isBuilt(list, repository)) writeBuilt(list, await makeBundles(options))
}

async function findFiles(options: BundleOptions): Promise<(name: string) => Buffer> {
  const list = listOf(options)
  if (isBuilt(list, repository)) return (name) => readFileSync(join(dirname(list), name))
  const made = await makeBundles(options)
  try {
    writeBuilt(list, made)
  } catch {
    // It is no less good for not being kept.
  }
  return (name) => made.files.get(name) ?? Buffer.alloc(0)
}

function listOf({ hasWalletConnect }: BundleOptions): string {
  return join(repository, 'dist', hasWalletConnect ? 'pages-walletconnect' : 'pages', 'list.json')
}
