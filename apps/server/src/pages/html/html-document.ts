import { html, type SafeHtml } from '@remix-run/html-template'
import { type Locale, localeFacts } from '../messages/locales.ts'
import { type PageTheme, themeStyle } from '../theme/page-theme.ts'
import type { PageAssets } from './build-assets.ts'

export type DocumentParts = {
  readonly assets: PageAssets
  readonly nonce: string
  readonly locale: Locale
  readonly title: string
  readonly body: SafeHtml
  /** Path of the style sheet; defaults to the checkout's. */
  readonly style?: string
  readonly scripts?: readonly string[]
  readonly theme?: PageTheme
  readonly embedder?: string
  readonly hasEveryFont?: boolean
  /** Metadata for search engines and link previews. If absent, the page is not indexed. */
  readonly about?: PageSummary | undefined
}

export type PageSummary = {
  /** Canonical public URL. */
  readonly url: string
  readonly description: string
  readonly image: string | undefined
}

/**
 * Renders a complete HTML document. Styles and scripts are files, because the content security policy forbids
 * inline code.
 */
export function htmlDocument(parts: DocumentParts): SafeHtml {
  return html`<!doctype html>
<html lang="${parts.locale}" dir="${localeFacts[parts.locale].direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
${parts.about ? summaryTags(parts.title, parts.about) : html`<meta name="robots" content="noindex">`}
<meta name="color-scheme" content="light dark">
<title>${plainTitle(parts.title)}</title>
${faviconLink(parts)}
<link rel="stylesheet" href="${parts.style ?? parts.assets.styles.checkout}" nonce="${parts.nonce}">
${themed(parts)}
${embedded(parts)}
${(parts.scripts ?? []).map(
  (script) => html`<script type="module" src="${script}" nonce="${parts.nonce}"></script>
`,
)}
</head>
<body>${parts.body}
</body>
</html>
`
}

function summaryTags(title: string, { url, description, image }: PageSummary): SafeHtml {
  const text = plainTitle(description.replace(/\s+/g, ' '))
  const shown = (name: string, content: string) => html`<meta property="og:${name}" content="${content}">`
  return html`<link rel="canonical" href="${url}">
${text ? html`<meta name="description" content="${text}">${shown('description', text)}` : null}
<meta property="og:type" content="website">${shown('title', plainTitle(title))}${shown('url', url)}${image ? shown('image', image) : null}`
}

/** Preloads the font: with `font-display: optional`, a late font is not used on this page. */
function themed({ theme, assets, nonce, hasEveryFont }: DocumentParts): SafeHtml | null {
  if (!theme) return null
  if (hasEveryFont) {
    const css = Object.values(assets.fonts).map((font) => font.css)
    return themeStyle(
      theme,
      { css: css.join('').replaceAll('font-display:optional', 'font-display:swap') },
      nonce,
    )
  }
  const font = theme.font && assets.fonts[theme.font]
  return html`${font ? html`<link rel="preload" href="${font.preload}" as="font" type="font/woff2" crossorigin>` : null}${themeStyle(theme, font, nonce)}`
}

function embedded({ embedder, assets, nonce }: DocumentParts): SafeHtml | null {
  if (embedder === undefined) return null
  return html`<meta name="embedder" content="${embedder}"><script type="module" src="${assets.scripts.embedded}" nonce="${nonce}"></script>`
}

function faviconLink({ theme, assets }: DocumentParts): SafeHtml {
  const own = theme?.favicon
  return own
    ? html`<link rel="icon" href="${own}">`
    : html`<link rel="icon" href="${assets.icon}" type="image/svg+xml">`
}

/** Removes control and format characters: a `<title>` cannot isolate the direction of merchant text. */
function plainTitle(title: string): string {
  return title.replace(/[\p{Cc}\p{Cf}]/gu, '').slice(0, 200)
}
