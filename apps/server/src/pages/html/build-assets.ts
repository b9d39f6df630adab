import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { SafeHtml } from '@remix-run/html-template'
import { pageFonts } from '@sluice/protocol/page-fonts.ts'
import { type Locale, locales } from '../messages/locales.ts'
import { type FontFile, type FontName, fontFiles } from '../theme/fonts.ts'
import { type BundleOptions, findBundles, scriptNames, styleNames } from './make-bundles.ts'
import { type Asset, compressed } from './send-page.ts'

export type PageAssets = {
  readonly scripts: Readonly<Record<(typeof scriptNames)[number], string>>
  readonly styles: Readonly<Record<(typeof styleNames)[number], string>>
  readonly walletConnect: string | undefined
  readonly steps: Readonly<Record<Locale, string>>
  readonly icon: string
  readonly fonts: Readonly<Record<FontName, FontAsset>>
  /** Script for merchants' pages, served at a fixed path. */
  readonly embed: Asset
  readonly files: ReadonlyMap<string, Asset>
}

const iconSvg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0b5d66"/><path d="M7 12c3-3 6-3 9 0s6 3 9 0M7 20c3-3 6-3 9 0s6 3 9 0" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>'

/**
 * Builds or loads the bundles and fonts, once at startup. Includes WalletConnect only if configured, because
 * of its size.
 *
 * @param stepsOf - Renders the wallet steps.
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

export type FontAsset = {
  readonly css: string
  readonly preload: string
}

/**
 * Reads the fonts that themes can choose, and registers each file with `serve`.
 *
 * `font-display: optional` prevents layout shifts: a font that loads late is first used on the next page.
 *
 * @param serve - Registers a file and returns its path.
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
