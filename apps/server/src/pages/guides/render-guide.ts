import { posix } from 'node:path'
import { html, type SafeHtml } from '@remix-run/html-template'
import { Lexer, Marked, type Tokens } from 'marked'
import { plainText } from './plain-text.ts'

/** A page heading with the text below it. */
export type GuideSection = {
  /** Empty for the text before the first second-level heading. */
  readonly anchor: string
  readonly heading: string
  readonly text: string
}

export type RenderedGuide = {
  readonly title: string
  readonly body: SafeHtml
  /** Second-level headings. */
  readonly headings: readonly { readonly anchor: string; readonly heading: string }[]
  readonly sections: readonly GuideSection[]
}

/**
 * Renders a page in `docs/`.
 *
 * @param file - Path in `docs/`. Links are resolved relative to this path.
 * @param addresses - URLs of the served pages and images. A link to any other file becomes plain text.
 */
export function renderGuide(
  markdown: string,
  file: string,
  addresses: ReadonlyMap<string, string>,
): RenderedGuide {
  const tokens = new Lexer().lex(markdown)
  const anchors = new Map<object, string>()
  const taken = new Set<string>()
  const sections: { anchor: string; heading: string; text: string }[] = []
  const headings: { anchor: string; heading: string }[] = []
  let title = ''
  for (const token of tokens) {
    if (token.type !== 'heading') {
      const last = sections.at(-1)
      if (last) last.text += ` ${plainText([token])}`
      continue
    }
    const heading = plainText(token.tokens ?? [])
    const anchor = makeAnchor(heading, taken)
    anchors.set(token, anchor)
    if (token.depth === 1) title = heading
    if (token.depth === 2) headings.push({ anchor, heading })
    sections.push({ anchor: token.depth === 1 ? '' : anchor, heading, text: '' })
  }
  const rendered = makeRenderer(file, addresses, anchors)
    .parser(tokens)
    .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
  return { title, body: html.raw`${rendered}`, headings, sections }
}

/** Returns the anchor that GitHub generates for a heading. */
function makeAnchor(heading: string, taken: Set<string>): string {
  const slug = heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
  let anchor = slug
  for (let count = 1; taken.has(anchor); count++) anchor = `${slug}-${count}`
  taken.add(anchor)
  return anchor
}

function makeRenderer(
  file: string,
  addresses: ReadonlyMap<string, string>,
  anchors: ReadonlyMap<object, string>,
): Marked {
  const resolve = (href: string): string | undefined => {
    if (/^([a-z]+:|#)/.test(href)) return href
    const [path = '', anchor] = href.split('#')
    const address = addresses.get(posix.join(posix.dirname(file), path))
    return address && (anchor === undefined ? address : `${address}#${anchor}`)
  }
  return new Marked({
    renderer: {
      heading(token) {
        const { depth, tokens } = token
        const inner = html.raw`${this.parser.parseInline(tokens)}`
        const anchor = anchors.get(token) ?? ''
        const link = html` <a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a>`
        return String(html.raw`<h${depth} id="${anchor}">${inner}${depth === 1 ? '' : link}</h${depth}>\n`)
      },
      code({ text, lang = '' }: Tokens.Code) {
        return String(
          html`<div class="code" data-language="${lang.split(' ', 1)[0] ?? ''}"><pre tabindex="0"><code>${text}</code></pre></div>\n`,
        )
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens)
        const address = resolve(href)
        return address === undefined ? inner : String(html`<a href="${address}">${html.raw`${inner}`}</a>`)
      },
      image({ href, text }) {
        return String(html`<img src="${resolve(href) ?? ''}" alt="${text}" loading="lazy">`)
      },
      // The pages contain no HTML except comments for our scripts.
      html: ({ text }) => (text.startsWith('<!--') ? '' : String(html`${text}`)),
    },
  })
}
