import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../../../../scripts/source/list-files.ts'
import { addApiDocument } from '../../src/app/openapi/api-document.ts'
import { addRealPages } from '../support/api/pages.ts'
import { type ApiOptions, startApi } from '../support/api/start-api.ts'
import { perFile } from '../support/per-file.ts'
import { questions } from './first-questions.ts'

const site = { baseUrl: 'https://pay.sluice.example', version: '1.2.3' }
const extend: ApiOptions['extend'] = async (app, routes, made) => {
  await addApiDocument(app, routes, site, made.parts.random)
  await addRealPages(app, routes, made)
}
const api = perFile(() => startApi({ extend }))
const read = (url: string) => api.app.inject({ url })

/** Reads every page that the documentation links to, starting from its start page. */
const pages = perFile(async () => {
  const found = new Map<string, string>()
  const waiting = ['/docs/']
  for (const path of waiting) {
    const reply = await read(path)
    expect([path, reply.statusCode]).toEqual([path, 200])
    found.set(path, reply.body)
    for (const { target } of linksOf(path, reply.body))
      if (target.startsWith('/docs/') && isPage(target) && !waiting.includes(target)) waiting.push(target)
  }
  return found
})

const isPage = (path: string) => !path.startsWith('/docs/images/') && path !== '/docs/api'

function linksOf(path: string, page: string): { target: string; anchor: string }[] {
  return [...page.matchAll(/<(?:a|img) [^>]*?(?:href|src)="([^"]*)"/g)].flatMap(([, link = '']) => {
    if (/^[a-z]+:/.test(link)) return []
    const { pathname, hash } = new URL(link, `http://docs${path}`)
    return [{ target: pathname, anchor: decodeURIComponent(hash.slice(1)) }]
  })
}

test('every link, picture and anchor of every page leads somewhere', async () => {
  const links = [...pages].flatMap(([path, page]) => linksOf(path, page).map((link) => ({ path, ...link })))
  expect(links.length).toBeGreaterThan(500)
  const broken = links.filter(({ target, anchor }) => {
    if (anchor === '') return false
    return !pages.get(target)?.includes(` id="${anchor}"`)
  })
  expect(broken).toEqual([])
  const others = new Set(links.map(({ target }) => target).filter((target) => !pages.has(target)))
  expect(others.size).toBeGreaterThan(20)
  for (const target of others) expect([target, (await read(target)).statusCode]).toEqual([target, 200])
})

test('every guide of the repository is served, except what is for contributors', () => {
  const files = readdirSync(join(repositoryRoot, 'docs'), { recursive: true, encoding: 'utf8' })
  const guides = files.filter((file) => file.endsWith('.md')).map((file) => `/docs/${file.slice(0, -3)}`)
  const unserved = guides.filter((path) => !pages.has(path) && !path.startsWith('/docs/decisions/'))
  expect(unserved.toSorted()).toEqual(
    [
      'README',
      'contributing/release',
      'guarantees',
      'performance',
      'reference/contract-coverage',
      'reference/dashboard-coverage',
      'style',
    ].map((name) => `/docs/${name}`),
  )
})

test('a guide has its place in the reading order, and loads nothing from elsewhere', async () => {
  const page = pages.get('/docs/concepts') ?? ''
  const found = [...page.matchAll(/rel="(prev|next)" href="([^"]+)"|aria-current="page">([^<]+)</g)]
  expect(found.map(([, rel = 'current', href, name]) => [rel, href ?? name])).toEqual([
    ['prev', '/docs/quickstart'],
    ['next', '/docs/sdk'],
    ['current', 'Concepts'],
  ])
  for (const [, text] of pages) {
    expect(text).not.toMatch(/(?:src|action)="(?!\/)|<script(?![^>]* src="\/assets\/)|<!-- /)
    expect(text).not.toMatch(/ style="|<style/)
  }
  const policy = String((await read('/docs/webhooks')).headers['content-security-policy'])
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toContain('unsafe')
})

test.each([
  '/docs/none',
  '/docs/webhooks.md',
  '/docs/style',
  '/docs/../README.md',
  '/docs/%2e%2e/package.json',
  '/docs/images/../README.md',
  '/docs/images/%2e%2e%2fREADME.md',
  '/docs/__proto__',
])('%s is not there', async (path) => {
  expect((await read(path)).statusCode).toBe(404)
})

const search = async (query: string) => (await read(`/docs/search?${query}`)).body
const hitsOf = (page: string) =>
  [...page.matchAll(/<li><a href="(\/docs\/[^"]+)">/g)].map(([, path = '']) => path)
const hitList = (page: string) => hitsOf(/<ol class="hits">.*<\/ol>/s.exec(page)?.[0] ?? '')

test.each(
  questions.map(([pages, ...queries]) => [queries.join(', '), pages, queries] as const),
)('%s: the page that answers is among the first three results', async (_, pages, queries) => {
  const wanted = pages.split(' ').map((page) => `/docs/${page}`)
  for (const query of queries) {
    const hits = hitList(await search(`q=${encodeURIComponent(query)}`)).map((hit) => hit.split('#')[0])
    expect([query, hits.slice(0, 3).filter((hit = '') => wanted.includes(hit)).length]).not.toEqual([
      query,
      0,
    ])
  }
})

test('a search takes any text, shows it as text, and is over at once', async () => {
  const hostile = encodeURIComponent('"><script>alert(1)</script>')
  const page = await search(`q=${hostile}`)
  expect(page).not.toContain('<script>alert')
  expect(page).toContain('&quot;&gt;&lt;script&gt;alert(1)')
  for (const query of [
    '',
    'q=',
    'q=+',
    'q=a&q=b',
    'q[a]=1',
    `q=${encodeURIComponent('()[]*+?{}|\\')}`,
    'q=constructor',
  ])
    expect((await read(`/docs/search?${query}`)).statusCode, query).toBe(200)
  expect(await search('q=xyzzyqwertz')).toContain('No page contains these words')
  const words = encodeURIComponent('pay receipt webhook refund price status key split '.repeat(200))
  const startedAt = performance.now()
  for (let i = 0; i < 20; i++) expect(hitList(await search(`q=${words}`))).toHaveLength(10)
  expect(performance.now() - startedAt).toBeLessThan(4_000)
})
