import { html, type SafeHtml } from '@remix-run/html-template'
import { colourNames, type Palette } from '@sluice/protocol/theme/theme-colours.ts'
import { fontStack } from './fonts.ts'
import type { PageTheme } from './page-theme.ts'

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
