import { expect, test } from 'vitest'
import { checkCommands } from './check-commands.ts'
import { type ApiDocument, checkJson } from './check-json.ts'
import { readBlocks } from './read-blocks.ts'

const text = { type: 'string' }
const item = {
  type: 'object',
  properties: { sku: text, left: { anyOf: [{ type: 'integer' }, { type: 'null' }] } },
}
const list = {
  allOf: [{ $ref: '#/components/schemas/Items' }, { type: 'object', properties: { next: text } }],
}
const document: ApiDocument = {
  paths: {
    '/api/items': { get: { responses: { 200: { content: { 'application/json': { schema: list } } } } } },
  },
  components: {
    schemas: { Items: { type: 'object', properties: { items: { type: 'array', items: item } } } },
  },
}
const check = (json: string, endpoints = ['/api/items']) => checkJson(json, endpoints, document)

test('JSON of a page passes if the API knows each field and its type, and `…` stands for the rest', () => {
  const right = '{ "items": [{ "sku": "mug", "left": null, … }, { … }, "…"], "next": "…" }'
  expect(check(right)).toBeUndefined()
  expect(check('{ "items": [{ "left": 3 }] }', [])).toBeUndefined()
})

test.each([
  ['{ "items": [{ "sku": 7 }] }', '/items/0/sku is of type number, not string'],
  ['{ "items": [{ "left": 1.5 }] }', '/items/0/left is of type number, not integer'],
  ['{ "items": [], "cursor": "x" }', '/cursor does not exist'],
  ['{ "items": [ }', 'not JSON'],
])('JSON that the API does not return is reported: %s', (json, reason) => {
  expect(check(json)).toContain(reason)
})

test('JSON below the heading of an unknown endpoint is reported', () => {
  expect(check('{}', ['/api/nothing'])).toBe('the API has no /api/nothing')
})

test('commands pass if their scripts, files, commands and options exist', async () => {
  const right = `npm ci # installs
npm run build && npm run gas -w @sluice/contracts
SLUICE_KEY=x npm run --silent cli -- receipt list --json | jq .receipts
node scripts/check.ts`
  expect(await checkCommands(right)).toEqual([])
})

test.each([
  ['npm run bild', 'sluice-workspace has no script “bild”'],
  ['npm run gas -w @sluice/sdk', '@sluice/sdk has no script “gas”'],
  ['npm run quickstart -- --fast', 'scripts/run-quickstart.ts has no option --fast'],
  ['npm run cli -- receipt lst', 'the command line has no “receipt lst”'],
  ['npm run cli -- receipt list --colour', '“receipt list” has no option --colour'],
  ['node scripts/nothing.ts', 'there is no file scripts/nothing.ts'],
  ['npx no-such-package', 'no-such-package is not a package of this repository'],
  ['docker ps', '“docker” has no check: run it in a test, or give a reason'],
])('a command that does not exist is reported: %s', async (command, reason) => {
  expect(await checkCommands(command)).toEqual([reason])
})

test('a block in a list is read without its indentation', () => {
  const [block] = readBlocks('1. Run:\n\n   ```sh\n   if true\n     then ls\n   ```\n')
  expect(block).toMatchObject({ language: 'sh', text: 'if true\n  then ls\n' })
})

test('a block is left out only with a reason', () => {
  const page =
    '<!-- not run here: needs root -->\n```sh\nreboot\n```\n<!-- not run here: -->\n```sh\nls\n```\n'
  expect(readBlocks(page).map(({ notRun }) => notRun)).toEqual(['needs root', undefined])
})
