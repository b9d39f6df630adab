import { html, type SafeHtml } from '@remix-run/html-template'
import type { PageFrame } from '../html/error-page.ts'
import { htmlDocument } from '../html/html-document.ts'
import { plainTheme } from '../theme/page-theme.ts'
import type { Guide, Guides } from './read-guides.ts'
import { type GuideHit, maxQueryLength } from './search-guides.ts'

/** Path of the API reference, which is generated from the OpenAPI document. */
export const referencePath = '/docs/api'

/** Renders the documentation's start page: every guide with its summary. */
export function contentsPage(guides: Guides, frame: PageFrame): SafeHtml {
  const groups = groupsOf(guides.pages).map(
    ([group, pages]) => html`<section><h2>${group}</h2><ul>
${group === 'Reference' ? html`<li><a href="${referencePath}">API reference</a><p>every endpoint with its fields, errors and an example response</p></li>` : null}
${pages.map((page) => html`<li><a href="/docs/${page.path}">${page.title}</a><p>${page.summary}</p></li>`)}
</ul></section>`,
  )
  return frameGuide(guides, frame, {
    title: 'Documentation',
    body: html`<h1>Documentation</h1><div class="groups">${groups}</div>`,
  })
}

/** Renders a guide with links to its neighbors in reading order. */
export function guidePage(guides: Guides, guide: Guide, frame: PageFrame): SafeHtml {
  const place = guides.pages.indexOf(guide)
  const [previous, next] = [guides.pages[place - 1], guides.pages[place + 1]]
  const turn = (rel: string, label: string, page: Guide | undefined) =>
    page &&
    html`<a class="${rel}" rel="${rel}" href="/docs/${page.path}"><span>${label}</span>${page.title}</a>`
  return frameGuide(guides, frame, {
    title: guide.title,
    current: guide,
    body: html`${guide.body}<nav class="turns" aria-label="Next pages">${turn('prev', 'Previous', previous)}${turn('next', 'Next', next)}</nav>`,
  })
}

/** Renders search results, or only the form if the query is empty. */
export function searchPage(
  guides: Guides,
  { query, hits }: { readonly query: string; readonly hits: readonly GuideHit[] },
  frame: PageFrame,
): SafeHtml {
  const results = hits.map(
    ({ address, title, heading, excerpt }) =>
      html`<li><a href="${address}">${title}${heading === title ? null : html` › ${heading}`}</a><p>${excerpt}</p></li>`,
  )
  const nothing = html`<p>No page contains these words. All pages are listed under <a href="/docs/">Documentation</a>.</p>`
  return frameGuide(guides, frame, {
    title: query === '' ? 'Search' : `Search: ${query}`,
    query,
    body: html`<h1>Search</h1>${hits.length > 0 ? html`<ol class="hits">${results}</ol>` : query === '' ? null : nothing}`,
  })
}

export function unknownPage(guides: Guides, frame: PageFrame): SafeHtml {
  return frameGuide(guides, frame, {
    title: 'Page not found',
    body: html`<h1>Page not found</h1><p>There is nothing at this address. Search for it, or choose a page from the contents.</p>`,
  })
}

type Framed = {
  readonly title: string
  readonly body: SafeHtml
  readonly current?: Guide
  readonly query?: string
}

function frameGuide({ pages }: Guides, frame: PageFrame, { title, body, current, query }: Framed): SafeHtml {
  const { assets } = frame
  const link = (
    page: Guide,
  ) => html`<li><a href="/docs/${page.path}"${page === current ? html.raw` aria-current="page"` : null}>${page.title}</a>
${page === current && page.headings.length > 1 ? html`<ul>${page.headings.map(({ anchor, heading }) => html`<li><a href="#${anchor}">${heading}</a></li>`)}</ul>` : null}</li>`
  const contents = groupsOf(pages).map(
    ([group, members]) =>
      html`<h2>${group}</h2><ul>${group === 'Reference' ? html`<li><a href="${referencePath}">API reference</a></li>` : null}${members.map(link)}</ul>`,
  )
  return htmlDocument({
    ...frame,
    locale: 'en',
    style: assets.styles.guides,
    scripts: [assets.scripts.guides],
    title: `${title} · ${plainTheme.brandName}`,
    body: html`<header class="bar"><a class="name" href="/docs/"><img src="${assets.icon}" alt="" width="28" height="28">${plainTheme.brandName} docs</a><a class="to-contents" href="#contents">Contents</a>
<form action="/docs/search" role="search"><input type="search" name="q" value="${query ?? ''}" maxlength="${maxQueryLength}" placeholder="Search" aria-label="Search the documentation"><button class="quiet">Search</button></form></header>
<div class="columns"><main>${body}</main>
<nav class="contents" id="contents" tabindex="0" aria-label="Documentation">${contents}</nav></div>`,
  })
}

function groupsOf(pages: readonly Guide[]): [group: string, pages: readonly Guide[]][] {
  return [...Map.groupBy(pages, (page) => page.group)]
}
