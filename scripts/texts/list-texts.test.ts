import { expect, test } from 'vitest'
import { parseSource } from '../source/parse-source.ts'
import { readDocumentTexts } from './read-document-texts.ts'
import { readMarkdownTexts } from './read-markdown-texts.ts'
import { readPlainTexts } from './read-plain-texts.ts'
import { readSourceTexts } from './read-source-texts.ts'

const server = 'apps/server/src'
const at = (path: string, text: string) =>
  readSourceTexts(parseSource(path, text)).map(({ kind, text: found }) => [kind, found])

test.each([
  ['refusal', `${server}/orders/a.ts`, "throw new Refusal('not_found', 'A planted text')"],
  ['refusal', `${server}/orders/a.ts`, "throw invalidInput({ path: 'a', message: 'A planted text' })"],
  ['log', `${server}/orders/a.ts`, "needs.log.warn({ receipt }, 'A planted text')"],
  ['log', `${server}/orders/a.ts`, "this.#log.error('A planted text')"],
  ['message', `${server}/orders/a.ts`, "throw new Error('A planted text')"],
  ['message', `${server}/orders/a.ts`, "const issue = { path, message: 'A planted text' }"],
  ['openapi', `${server}/orders/routes.ts`, "route({ summary: 'A planted text' })"],
  ['openapi', 'packages/protocol/src/api/orders.ts', "Type.String({ description: 'A planted text' })"],
  ['failure', 'packages/protocol/src/failure-catalogue.ts', "const a = { reason: 'A planted text' }"],
  ['page', `${server}/pages/panels/a.ts`, 'html`<p class="note">A planted text</p>`'],
  ['page', `${server}/pages/panels/a.ts`, 'html`<img src="a.svg" alt="A planted text">`'],
  ['page', `${server}/pages/islands/a.ts`, "button.textContent = 'A planted text'"],
  ['setting', `${server}/platform/settings/settings.ts`, "const settings = { PORT: 'A planted text' }"],
  ['cli', 'apps/cli/src/receipts/get.ts', "const command = { summary: 'A planted text' }"],
  ['start', `${server}/local/a.ts`, "print('A planted text')"],
  ['start', `${server}/demo.ts`, "const help = 'A planted text'"],
  ['probe', `${server}/app/probes/a.ts`, "gauge('sluice_a', 'A planted text')"],
  ['sdk', 'packages/sdk/src/a.ts', "throw new Error('A planted text')"],
  ['script', 'scripts/a.ts', "console.log('A planted text')"],
])('a text of the kind %s is found in %s: %s', (kind, path, source) =>
  expect(at(path, source)).toEqual([[kind, 'A planted text']]))

test('a text is read whole, with its holes, and one word is enough for a message', () => {
  expect(at(`${server}/a.ts`, "fail('A planted ' +\n 'text')")).toEqual([['start', 'A planted text']])
  expect(at(`${server}/orders/a.ts`, `fail(\`A planted \${kind} text\`)`)).toEqual([
    ['message', 'A planted {…} text'],
  ])
  expect(at(`${server}/orders/a.ts`, "log.info({}, 'ready')")).toEqual([['log', 'ready']])
  expect(at('scripts/a.ts', 'const help = `First part.\n\nSecond part.`')).toEqual([
    ['script', 'First part.'],
    ['script', 'Second part.'],
  ])
})

test('SQL, imports, types and names are no texts', () => {
  const source = `import { a } from 'some module'
    type Answer = 'one of these'
    const statement = { name: 'find-order', text: 'SELECT id FROM orders WHERE merchant = $1' }`
  expect(at(`${server}/orders/a.ts`, source)).toEqual([])
})

test("the API's document gives each summary and description once, with its place", () => {
  const operation = { summary: 'Create an order', description: 'A planted text', responses: {} }
  const document = { paths: { '/api/orders': { post: operation, put: operation } } }
  const same = { kind: 'openapi', path: '/openapi.json' }
  expect(readDocumentTexts('/openapi.json', document)).toEqual([
    { ...same, place: '/paths//api/orders/post/summary', text: 'Create an order' },
    { ...same, place: '/paths//api/orders/post/description', text: 'A planted text' },
  ])
})

test('a document gives its headings and the first line below each, and no code', () => {
  const markdown = '# Orders\n\nA planted text\nthat goes on.\n\n```sh\n# not a heading\n```\n\n## Stock\n'
  expect(readMarkdownTexts('docs/a.md', markdown)).toEqual([
    { kind: 'doc', path: 'docs/a.md', place: '1', text: '# Orders' },
    { kind: 'doc', path: 'docs/a.md', place: '3', text: 'A planted text' },
    { kind: 'doc', path: 'docs/a.md', place: '10', text: '## Stock' },
  ])
})

test.each([
  ['alert', 'rules.yaml', '        summary: "A planted text"'],
  ['alert', 'sluice.json', '      "title": "A planted text",'],
  ['alert', 'compose.yaml', '  # A planted text'],
  ['contract', 'Split.sol', '    require(shares > 0, "A planted text");'],
] as const)('a text of the kind %s is found in %s', (kind, path, line) => {
  const found = { kind, path, place: '2', text: 'A planted text' }
  expect(readPlainTexts(kind, path, `first\n${line}\n`)).toEqual([found])
})
