import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { SafeHtml } from '@remix-run/html-template'
import { pageFonts } from '@sluice/protocol/page-fonts.ts'
import { type Locale, locales } from '../messages/locales.ts'
import { type FontFile, type FontName, fontFiles } from '../theme/fonts.ts'
import { type BundleOptions, findBundles, scriptNames, styleNames } from './make-bundles.ts'
import { type Asset, compressed } from './send-page.ts'

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
 * Takes the bundles of the islands and the style sheets, and reads the fonts; once at the start.
 * WalletConnect's script, by far the largest, only where it is set up.
 *
 * @param stepsOf - Renders the steps of a payment by a wallet.
 */
export async function buildAssets(
  options: BundleOptions,
  stepsOf: (locale: Locale) => SafeHtml,
): Promise<PageAssets> {
  const files = new Map<string, Asset>()
  const add = (name: string, ending: string, asset: Asset) => {
    const hash = createHash('sha256').update(asset.body).digest('hex').slice(0, 12)
    const path = `/assets/${name}.${hash}.${ending}`
    files.set(path, asset)
    return path
  }
  const [bundles, fonts] = await Promise.all([
    findBundles(options),
    readFonts((name, body) => add(name, 'woff2', { type: 'font/woff2', body, gzip: undefined })),
  ])
  const pathsOf = <Name extends string>(names: readonly Name[], ending: 'js' | 'css') =>
    Object.fromEntries(names.map((name) => [name, add(name, ending, bundles(name, ending))])) as Record<
      Name,
      string
    >
  const icon = add('icon', 'svg', await compressed('image/svg+xml', iconSvg))
  const steps = {} as Record<Locale, string>
  for (const locale of locales) {
    const text = `<!doctype html>${stepsOf(locale)}`
    steps[locale] = add(`steps-${locale}`, 'html', await compressed('text/html; charset=utf-8', text))
  }
  return {
    scripts: pathsOf(scriptNames, 'js'),
    styles: pathsOf(styleNames, 'css'),
    walletConnect: options.hasWalletConnect ? pathsOf(['walletconnect'], 'js').walletconnect : undefined,
    steps,
    icon,
    fonts,
    embed: bundles('embed', 'js'),
    files,
  }
}

/** A family as pages use it. */
export type FontAsset = {
  /** Its `@font-face` rules. */
  readonly css: string
  /** The file every page with this font needs first. */
  readonly preload: string
}

/**
 * Reads the families that themes can choose and has each file served.
 *
 * `font-display: optional`: a font that is not there within a tenth of a second waits for the next page, and nothing
 * moves under the finger of somebody who is about to pay.
 *
 * @param serve - Takes a file and gives its address.
 */
export async function readFonts(
  serve: (name: string, body: Buffer) => string,
): Promise<Readonly<Record<FontName, FontAsset>>> {
  const families = await Promise.all(
    pageFonts.map(async (name) => {
      const files = await Promise.all(
        fontFiles(name).map(async (file) => {
          const body = await readFile(fileURLToPath(import.meta.resolve(file.module)))
          return { file, url: serve(file.module.replace(/.*\/|\.woff2$/g, ''), body) }
        }),
      )
      const css = files.map(({ file, url }) => faceRule(name, file, url)).join('')
      const first = files.find(({ file }) => file.range.startsWith('U+0-'))
      return [name, { css, preload: first?.url ?? '' }]
    }),
  )
  return Object.fromEntries(families)
}

function faceRule(name: FontName, file: FontFile, url: string): string {
  return `@font-face{font-family:"${name}";font-style:normal;font-display:optional;font-weight:${file.weights};src:url(${url})format("woff2");unicode-range:${file.range}}`
}
