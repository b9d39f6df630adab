import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { SafeHtml } from '@remix-run/html-template'
import { type BuildOptions, build, stop } from 'esbuild'
import { type Locale, locales } from '../messages/locales.ts'
import { translator } from '../messages/translator.ts'
import type { FontName } from '../theme/fonts.ts'
import { type Asset, compressed } from './asset.ts'
import { type FontAsset, readFonts } from './font-assets.ts'

/**
 * The scripts of the pages, each from `islands/<name>.ts`; the demo wallet pays play money, on the local chain alone.
 * What pays by one signature a checkout loads when a wallet could.
 */
const scriptNames = [
  'checkout',
  'claim',
  'demo-wallet',
  'embedded',
  'on-success-frame',
  'preview',
  'receipt',
  'sign-payment',
  'store',
] as const

/** The scripts that lie elsewhere in their folder. */
const places: Readonly<Record<string, string>> = { 'sign-payment': 'wallet/sign-payment' }

/** The style sheets of the pages, each from `styles/<name>.css`. */
const styleNames = ['checkout', 'claim', 'receipt', 'site', 'store'] as const

/** The pages' files: paths for the documents, and what is served under each. */
export type PageAssets = {
  readonly scripts: Readonly<Record<(typeof scriptNames)[number], string>>
  readonly styles: Readonly<Record<(typeof styleNames)[number], string>>
  /** The script of WalletConnect, which a page loads when it is asked for; absent where it is not set up. */
  readonly walletConnect: string | undefined
  /** The steps of a payment by a wallet, in each language. */
  readonly steps: Readonly<Record<Locale, string>>
  readonly icon: string
  readonly fonts: Readonly<Record<FontName, FontAsset>>
  /** The script for pages of merchants, at an address that stays. */
  readonly embed: Asset
  readonly files: ReadonlyMap<string, Asset>
}

const iconSvg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0b5d66"/><path d="M7 12c3-3 6-3 9 0s6 3 9 0M7 20c3-3 6-3 9 0s6 3 9 0" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>'

/**
 * Bundles and minifies the islands and the style sheets in memory, and reads the fonts; once at the start.
 * WalletConnect's script, by far the largest, only where it is set up.
 */
export async function buildAssets(options: {
  hasWalletConnect: boolean
  /** Made by who knows the panels. */
  steps(locale: Locale): SafeHtml
}): Promise<PageAssets> {
  const files = new Map<string, Asset>()
  const add = (name: string, ending: string, type: string, body: Buffer) => {
    const hash = createHash('sha256').update(body).digest('hex').slice(0, 12)
    const path = `/assets/${name}.${hash}.${ending}`
    const gzip = ending === 'woff2' ? undefined : gzipSync(body, { level: 9 })
    files.set(path, { type, body, gzip })
    return path
  }
  const bundleAll = async <Name extends string>(names: readonly Name[], ending: 'js' | 'css') => {
    const [folder, type] = ending === 'js' ? ['islands', 'text/javascript'] : ['styles', 'text/css']
    const bundles = await Promise.all(
      names.map((name) => bundle(`${folder}/${places[name] ?? name}.${ending === 'js' ? 'ts' : 'css'}`)),
    )
    const paths = names.map((name, i) => [
      name,
      add(name, ending, `${type}; charset=utf-8`, bundles[i] ?? Buffer.alloc(0)),
    ])
    return Object.fromEntries(paths) as Record<Name, string>
  }
  const [scripts, styles, extra, fonts, embed] = await Promise.all([
    bundleAll(scriptNames, 'js'),
    bundleAll(styleNames, 'css'),
    bundleAll(options.hasWalletConnect ? ['walletconnect'] : [], 'js'),
    readFonts((name, body) => add(name, 'woff2', 'font/woff2', body)),
    bundleEmbed(),
  ])
  await stop()
  const icon = add('icon', 'svg', 'image/svg+xml', Buffer.from(iconSvg))
  const stepsOf = (locale: Locale) => Buffer.from(`<!doctype html>${options.steps(locale)}`)
  const steps = Object.fromEntries(
    locales.map((locale) => [
      locale,
      add(`steps-${locale}`, 'html', 'text/html; charset=utf-8', stepsOf(locale)),
    ]),
  ) as Record<Locale, string>
  return { scripts, styles, walletConnect: extra.walletconnect, steps, icon, fonts, embed, files }
}

/** The words go in with the script: it runs where it can ask us for nothing. */
async function bundleEmbed(): Promise<Asset> {
  const words = locales.map((locale) => {
    const { text } = translator(locale)
    return [locale, { title: text('embed.title'), close: text('embed.close') }]
  })
  const define = { embedWords: JSON.stringify(Object.fromEntries(words)) }
  const body = await bundle('islands/embed.ts', { format: 'iife', define })
  return compressed('text/javascript; charset=utf-8', body)
}

async function bundle(file: string, more: Pick<BuildOptions, 'format' | 'define'> = {}): Promise<Buffer> {
  const result = await build({
    entryPoints: [fileURLToPath(new URL(`../${file}`, import.meta.url))],
    bundle: true,
    minify: true,
    // The frame of a merchant's script has no origin, so it can load no module.
    format: file.endsWith('-frame.ts') ? 'iife' : 'esm',
    define: { global: 'globalThis' },
    target: ['chrome111', 'firefox115', 'safari16.4'],
    write: false,
    legalComments: 'none',
    logLevel: 'silent',
    ...more,
  })
  const [output] = result.outputFiles
  if (!output) throw new Error(`${file} was bundled to nothing`)
  return Buffer.from(output.contents)
}
