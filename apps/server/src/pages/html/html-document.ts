import { html, type SafeHtml } from '@remix-run/html-template'
import { type Locale, localeFacts } from '../messages/locales.ts'
import type { PageAssets } from './build-assets.ts'

/** What every page of ours is framed in. */
export type DocumentParts = {
  readonly assets: PageAssets
  readonly nonce: string
  readonly locale: Locale
  readonly title: string
  readonly body: SafeHtml
  /** The page's style sheet; the checkout's where none is given. */
  readonly style?: string
  /** The page's islands, if it has any. */
  readonly scripts?: readonly string[]
}

/** A whole HTML document. Styles and script come from files of ours; the policy allows nothing inline. */
export function htmlDocument(parts: DocumentParts): SafeHtml {
  return html`<!doctype html>
<html lang="${parts.locale}" dir="${localeFacts[parts.locale].direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${plainTitle(parts.title)}</title>
<link rel="icon" href="${parts.assets.icon}" type="image/svg+xml">
<link rel="stylesheet" href="${parts.style ?? parts.assets.styles.checkout}" nonce="${parts.nonce}">
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

/** A title can hold no markup, so signs that turn or hide text are taken out of merchants' names. */
function plainTitle(title: string): string {
  return title.replace(/[\p{Cc}\p{Cf}]/gu, '').slice(0, 200)
}
