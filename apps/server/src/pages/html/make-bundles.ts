import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { BuildOptions } from 'esbuild'
import { systemClock } from '../../kernel/clock.ts'
import { isBuilt, writeBuilt } from '../../platform/built-files.mjs'
import { locales } from '../messages/locales.ts'
import { translator } from '../messages/translator.ts'
import type { Asset } from './send-page.ts'

/** Entry scripts, each from `islands/<name>.ts`. The demo wallet is for the local chain only. */
export const scriptNames = [
  'checkout',
  'claim',
  'demo-wallet',
  'embedded',
  'guides',
  'on-success-frame',
  'preview',
  'receipt',
  'sign-payment',
  'store',
] as const

export const styleNames = ['checkout', 'claim', 'guides', 'receipt', 'sandbox', 'site', 'store'] as const

/** Repository root, the base of reported source paths. */
export const repository = fileURLToPath(new URL('../../../../../', import.meta.url))

const places: Readonly<Record<string, string>> = { 'sign-payment': 'wallet/sign-payment' }
const pages = 'apps/server/src/pages'
const compress = promisify(gzip)

export type BundleOptions = { readonly hasWalletConnect: boolean }

/**
 * Bundles, minifies and compresses the islands and style sheets. The bundler is imported only when this
 * function is called.
 *
 * @returns `files`: each bundle and its compressed form `<name>.gz`; `sources`: the files read, relative to
 * the repository.
 */
export async function makeBundles(
  options: BundleOptions,
): Promise<{ startedAt: number; sources: readonly string[]; files: ReadonlyMap<string, Buffer> }> {
  const startedAt = systemClock.now()
  const { build, stop } = await import('esbuild')
  const files = new Map<string, Buffer>()
  const keep = async (name: string, content: Uint8Array) => {
    files.set(name, Buffer.from(content))
    files.set(`${name}.gz`, await compress(content, { level: 9 }))
  }
  const bundle = async (name: string, file: string, more: Pick<BuildOptions, 'format' | 'define'> = {}) => {
    const { outputFiles, metafile } = await build({
      absWorkingDir: repository,
      entryPoints: [`${pages}/${file}`],
      bundle: true,
      minify: true,
      // The frame that runs a merchant's script has an opaque origin, so it cannot load modules.
      format: name.endsWith('-frame.js') ? 'iife' : 'esm',
      define: { global: 'globalThis' },
      target: ['chrome111', 'firefox115', 'safari16.4'],
      write: false,
      metafile: true,
      legalComments: 'none',
      logLevel: 'silent',
      ...more,
    })
    const [output] = outputFiles
    if (!output) throw new Error(`${file} produced no bundle`)
    await keep(name, output.contents)
    // esbuild also lists `define` values as inputs.
    return Object.keys(metafile.inputs).filter((path) => !path.startsWith('<'))
  }
  const extra = options.hasWalletConnect ? (['walletconnect'] as const) : []
  const read = await Promise.all([
    ...[...scriptNames, ...extra].map((name) => bundle(`${name}.js`, `islands/${places[name] ?? name}.ts`)),
    ...styleNames.map((name) => bundle(`${name}.css`, `styles/${name}.css`)),
    bundle('embed.js', 'islands/embed.ts', { format: 'iife', define: { embedWords: embedWords() } }),
  ])
  await stop()
  const words = locales.map((locale) => `${pages}/messages/${locale}/embed.json`)
  return { startedAt, sources: [...read.flat(), ...words, `${pages}/html/make-bundles.ts`], files }
}

/** Inlines the embed script's texts, because the script cannot request them from the service. */
function embedWords(): string {
  const words = locales.map((locale) => {
    const { text } = translator(locale)
    return [locale, { title: text('embed.title'), close: text('embed.close') }]
  })
  return JSON.stringify(Object.fromEntries(words))
}

const types = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
} as const

/**
 * Returns the bundles from `dist`, rebuilt if a source is newer. If `dist` is not writable, builds at each
 * startup.
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
 * Builds the bundles into `dist` unless they are current.
 * @throws if `dist` is not writable.
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
  } catch {}
  return (name) => made.files.get(name) ?? Buffer.alloc(0)
}

function listOf({ hasWalletConnect }: BundleOptions): string {
  return join(repository, 'dist', hasWalletConnect ? 'pages-walletconnect' : 'pages', 'list.json')
}
