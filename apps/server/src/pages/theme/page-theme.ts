import { html, type SafeHtml } from '@remix-run/html-template'
import type { HeroFontSize, LogoShape } from '@sluice/protocol/api/shop.ts'
import { colourNames, type Palette } from '@sluice/protocol/theme/theme-colours.ts'
import { type FontName, fontStack } from './fonts.ts'
import type { PageImage } from './page-image.ts'

/**
 * How the pages of a merchant look: what its shop says, and its brand where the shop says nothing.
 *
 * Every colour was parsed and written by us, every picture lies at an address of ours; only `brandName` is a text of
 * a merchant, to be escaped like any other.
 */
export type PageTheme = {
  readonly brandName: string
  /** None: the initial letter of the name stands for it. */
  readonly logo: (PageImage & { readonly shape: LogoShape }) | undefined
  /** None: the icon of the product. */
  readonly favicon: string | undefined
  readonly cover: PageImage | undefined
  readonly receiptBackground: PageImage | undefined
  /** None: the font of the system. */
  readonly font: FontName | undefined
  /** How large the title of the storefront is. */
  readonly heroFontSize: HeroFontSize
  /** None: the colours of the style sheets. */
  readonly colours: { readonly light: Palette; readonly dark: Palette } | undefined
}

/** How a page looks of whose merchant and brand nothing is known. */
export const plainTheme: PageTheme = {
  brandName: 'Sluice',
  logo: undefined,
  favicon: undefined,
  cover: undefined,
  receiptBackground: undefined,
  font: undefined,
  heroFontSize: 'medium',
  colours: undefined,
}

/**
 * What a theme sets, as a style with the page's own nonce; `null` where the style sheets say it all. Nothing in it is
 * a merchant's text: colours are our six digits, fonts are names from our list.
 */
export function themeStyle(
  theme: PageTheme,
  font: { readonly css: string } | undefined,
  nonce: string,
): SafeHtml | null {
  const { light, dark } = theme.colours ?? {}
  const css = [
    font?.css,
    theme.font && `:root{--font:${fontStack(theme.font)}}body{font-feature-settings:"lnum"}`,
    light && `:root{${declare(light)}}`,
    dark && `@media(prefers-color-scheme:dark){:root{${declare(dark)}}}`,
  ]
    .filter((rule) => rule !== undefined)
    .join('')
  return css === '' ? null : html`<style nonce="${nonce}">${html.raw`${css}`}</style>`
}

function declare(palette: Palette): string {
  return colourNames.map((name) => `--${name}:${palette[name]}`).join(';')
}
