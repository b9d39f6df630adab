import { createHash } from 'node:crypto'
import type { SafeHtml } from '@remix-run/html-template'
import { type Locale, locales } from '../messages/locales.ts'
import type { FontName } from '../theme/fonts.ts'
import { findBundles } from './find-bundles.ts'
import { type FontAsset, readFonts } from './font-assets.ts'
import { type BundleOptions, scriptNames, styleNames } from './make-bundles.ts'
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
