import { execFile } from 'node:child_process'
import { cp, readFile, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { readPage } from '../../../../../scripts/guide/read-blocks.ts'
import { perFile } from '../../support/per-file.ts'
import { makeTemporaryFolder } from '../../support/programs/temporary-folder.ts'
import { startLocalService } from '../../support/service/local-service.ts'

const root = new URL('../../../../../', import.meta.url).pathname
const example = join(root, 'packages/generated-client/example')
const run = promisify(execFile)

const service = perFile(startLocalService)
const folder = perFile(async () => {
  const made = await makeTemporaryFolder('generated-client')
  await cp(example, made.path, { recursive: true })
  await writeFile(join(made.path, 'package.json'), '{ "type": "module" }')
  await symlink(join(root, 'node_modules'), join(made.path, 'node_modules'))
  const response = await fetch(`${service.baseUrl}/openapi.json`)
  await writeFile(join(made.path, 'openapi.json'), await response.text())
  // The generator needs an older TypeScript version than ours. That version is installed next to the
  // generator.
  const generator = createRequire(join(root, 'packages/generated-client/package.json'))
  const bin = join(generator.resolve('openapi-typescript'), '../../bin/cli.js')
  await run(process.execPath, [bin, 'openapi.json', '--output', 'schema.d.ts'], { cwd: made.path })
  const examples = readPage('docs/reference/api.md').filter(({ language }) => language === 'ts')
  const declared = 'declare const [baseUrl, key]: [string, string]\n'
  await writeFile(join(made.path, 'api.ts'), declared + examples.map(({ text }) => text).join('\n'))
  return made
})

const tsc = join(root, 'node_modules/.bin/tsc')
const typeCheck = async () =>
  (await run(tsc, ['-p', '.'], { cwd: folder.path }).catch((error: { stdout: string }) => error)).stdout

test('a generated client has types that fit, and that refuse what the contract does not know', async () => {
  expect(await typeCheck()).toBe('')
})

test('the check of the types would see a wrong field', async () => {
  const path = join(folder.path, 'sell.ts')
  const text = await readFile(path, 'utf8')
  await writeFile(path, text.replace('priceUsd: 19.5', "priceUsd: '19.5'").replace('item.sku)', 'item.code)'))
  const complaints = await typeCheck()
  await writeFile(path, text)
  expect(complaints).toContain("Type 'string' is not assignable to type 'number'")
  expect(complaints).toContain("Property 'code' does not exist")
})

test('a generated client creates, lists and reads a product, an order and a receipt', async () => {
  const args = ['sell.ts', service.baseUrl, service.subscriptionKey]
  const { stdout } = await run(process.execPath, args, { cwd: folder.path })
  const sold = JSON.parse(stdout)
  expect(sold).toMatchObject({
    price: 19.5,
    orderListed: true,
    orderTotal: 41.83,
    tax: 2.83,
    receiptListed: true,
    currency: 'EUR',
    city: '',
    email: 'buyer@example.com',
    paymentState: 'none',
    status: 'pending',
    failureCode: null,
    missing: ['not-there'],
  })
  expect(sold.product).toHaveLength(1)
  expect(sold.paymentUrl).toMatch(new RegExp(`^${service.baseUrl}/portal/receipt-`))
})
