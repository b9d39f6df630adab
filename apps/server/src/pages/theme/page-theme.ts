import { html, type SafeHtml } from '@remix-run/html-template'
import type { HeroFontSize, LogoShape } from '@sluice/protocol/api/shop.ts'
import { colourNames, type Palette } from '@sluice/protocol/theme/theme-colours.ts'
import { type FontName, fontStack } from './fonts.ts'
import type { PageImage } from './page-image.ts'

/**
 * Look of a merchant's pages. The shop's settings take precedence over the brand's.
 *
 * Colors are parsed and images proxied. Only `brandName` is merchant text, to be escaped.
 */
export type PageTheme = {
  readonly brandName: string
  /** Defaults to the name's initial. */
  readonly logo: (PageImage & { readonly shape: LogoShape }) | undefined
  /** Defaults to the product's icon. */
  readonly favicon: string | undefined
  readonly cover: PageImage | undefined
  readonly receiptBackground: PageImage | undefined
  /** Defaults to the system font. */
  readonly font: FontName | undefined
  readonly heroFontSize: HeroFontSize
  /** Defaults to the style sheets' colors. */
  readonly colours: { readonly light: Palette; readonly dark: Palette } | undefined
}

/** Theme without any settings. */
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
 * Renders the theme as a style with the page's nonce, or `null` if the defaults apply.
 *
 * Contains no merchant text: colors are six digits, fonts come from our list.
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
