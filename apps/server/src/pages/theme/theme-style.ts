import { html, type SafeHtml } from '@remix-run/html-template'
import type { PageTheme } from './page-theme.ts'
import { colourNames, type Palette } from './theme-colours.ts'

/** What a theme sets, as a style of the page's own nonce; `null` where the style sheets say it all. */
export function themeStyle(theme: PageTheme | undefined, nonce: string): SafeHtml | null {
  const { light, dark } = theme?.colours ?? {}
  if (!light || !dark) return null
  const css = `:root{${declare(light)}}@media(prefers-color-scheme:dark){:root{${declare(dark)}}}`
  return html`<style nonce="${nonce}">${html.raw`${css}`}</style>`
}

function declare(palette: Palette): string {
  return colourNames.map((name) => `--${name}:${palette[name]}`).join(';')
}
