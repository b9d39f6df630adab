import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildPlace, isUnwritable, keepBuild } from '../../platform/builds/keep-build.ts'
import { type BundleOptions, makeBundles, repository } from './make-bundles.ts'
import type { Asset } from './send-page.ts'

const types = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
} as const

/**
 * The scripts and style sheets of the pages, by name: kept from an earlier start in the repository's cache, made anew
 * where a file that they were made from has changed. Where the cache cannot be written, they are made at each start.
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
 * Makes them now, where no start has: the folder that keeps them.
 *
 * @throws where the repository's cache cannot be written.
 */
export function buildBundles(options: BundleOptions): Promise<string> {
  const place = buildPlace(repository, options.hasWalletConnect ? 'pages-walletconnect' : 'pages')
  return keepBuild(place, (draft) =>
    makeBundles(options, (name, content) => writeFileSync(join(draft, name), content)),
  )
}

async function findFiles(options: BundleOptions): Promise<(name: string) => Buffer> {
  try {
    const folder = await buildBundles(options)
    return (name) => readFileSync(join(folder, name))
  } catch (error) {
    if (!isUnwritable(error)) throw error
    const files = new Map<string, Buffer>()
    await makeBundles(options, (name, content) => files.set(name, Buffer.from(content)))
    return (name) => files.get(name) ?? Buffer.alloc(0)
  }
}
