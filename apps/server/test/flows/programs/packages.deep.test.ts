import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { readPage } from '../../../../../scripts/guide/read-blocks.ts'
import { runPay } from '../../../src/local/demo/run-pay.ts'
import { perFile } from '../../support/per-file.ts'
import { findNodes } from '../../support/programs/find-nodes.ts'
import { makeTemporaryFolder } from '../../support/programs/temporary-folder.ts'
import { startLocalService } from '../../support/service/local-service.ts'

const root = new URL('../../../../../', import.meta.url).pathname
const run = promisify(execFile)

const service = perFile(startLocalService)
const folder = perFile(() => makeTemporaryFolder('packages'))
let app = ''
let nodes: readonly string[] = []

beforeAll(async () => {
  const pack = ['pack', '-w', '@sluice/sdk', '-w', 'sluice', '--pack-destination', folder.path]
  await run('npm', pack, { cwd: root })
  const archives = (await readdir(folder.path)).map((name) => join(folder.path, name))
  app = join(folder.path, 'app')
  await mkdir(app)
  await writeFile(join(app, 'package.json'), '{ "name": "app", "private": true, "type": "module" }')
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...archives], { cwd: app })
  nodes = await findNodes()
})

test('the two packages install without the network and without a third package', async () => {
  const installed = await readdir(join(app, 'node_modules'))
  expect(installed.filter((name) => !name.startsWith('.'))).toEqual(['@sluice', 'sluice'])
  const packed = await readdir(join(app, 'node_modules/sluice'))
  expect(packed.sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json'])
})

test('npx sluice creates, shows and cancels a receipt on each supported Node', async () => {
  for (const node of nodes) {
    const { HOME = '', PATH } = process.env
    const env = { HOME, PATH: `${dirname(node)}:${PATH}`, SLUICE_URL: service.baseUrl }
    const sluice = (args: string, SLUICE_KEY = service.subscriptionKey) =>
      run(join(app, 'node_modules/.bin/sluice'), args.split(' '), {
        cwd: app,
        env: { ...env, SLUICE_KEY },
      }).catch(({ code, stdout, stderr }) => ({ code, stdout, stderr }))
    const { stdout: version } = await run('node', ['--version'], { env })
    const id = `npx-${version.trim()}`
    const first = await run('npx', ['--no-install', 'sluice', '--version'], { cwd: app, env })
    expect(first).toEqual({ stdout: '0.1.0\n', stderr: '' })
    const created = await sluice(`receipt create --id ${id} --line Coffee=3.50 --json`)
    expect(JSON.parse(created.stdout)).toMatchObject({ id, paymentUrl: expect.stringContaining(id) })
    expect((await sluice(`receipt get ${id}`)).stdout).toMatch(/total\s+3\.50 USD/)
    const cancelled = await sluice(`receipt cancel ${id} --json`)
    expect(JSON.parse(cancelled.stdout)).toMatchObject({ ok: true, id, status: 'pending' })
    const wrong = await sluice('receipt list', 'sk_test_wrong')
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('Check the key') })
  }
})

test('the client package compiles strictly in an empty folder under each resolution, and runs on each supported Node', async () => {
  const packed = await readdir(join(app, 'node_modules/@sluice/sdk'))
  expect(packed.sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json'])

  await writeFile(join(app, 'shop.ts'), shop)
  const examples = await findExamples()
  expect(examples.length).toBeGreaterThan(15)
  for (const [i, code] of examples.entries()) await writeFile(join(app, `example-${i}.ts`), code)
  await writeFile(join(app, 'reader.d.ts'), whatReadersHave)
  const flags = [
    '--strict',
    '--exactOptionalPropertyTypes',
    '--noUncheckedIndexedAccess',
    '--target',
    'es2022',
  ]
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')]
  const files = ['shop.ts', 'reader.d.ts', ...examples.map((_, i) => `example-${i}.ts`)]
  for (const resolution of [
    ['--module', 'esnext', '--moduleResolution', 'bundler', '--outDir', 'bundler'],
    ['--module', 'node16', '--moduleResolution', 'node16', '--outDir', 'node16'],
  ]) {
    const compile = [...flags, ...types, ...resolution, ...files]
    const { stdout: errors } = await run(join(root, 'node_modules/.bin/tsc'), compile, { cwd: app }).catch(
      (error) => error,
    )
    expect(errors, resolution[1] as string).toBe('')
  }
  for (const node of nodes) {
    const environment = { SLUICE_URL: service.baseUrl, SLUICE_KEY: service.subscriptionKey }
    const { stdout } = await run(node, ['node16/shop.js'], { cwd: app, env: environment })
    expect(JSON.parse(stdout)).toEqual({
      status: 'pending',
      name: 'NotFoundError',
      events: true,
      listed: true,
    })
  }
  const { stderr } = await run(process.execPath, ['--enable-source-maps', 'node16/shop.js'], {
    cwd: app,
    env: { SLUICE_URL: service.baseUrl },
  }).catch((error) => error)
  expect(stderr).toMatch(/TypeError: SLUICE_KEY is not set[\s\S]*sdk\/src\/options\.ts:\d+/)
})

test('the example of the README waits for its receipt until a buyer has paid it', async () => {
  const [example = ''] = await findExamples()
  await writeFile(join(app, 'readme.mjs'), example.replace('http://127.0.0.1:8080', service.baseUrl))
  const env = { SLUICE_KEY: service.subscriptionKey }
  const program = spawn(process.execPath, ['readme.mjs'], { cwd: app, env })
  onTestFinished(() => void program.kill())
  const [url] = await once(program.stdout, 'data')
  const { dataDir } = service
  await runPay({}, { url: String(url).trim(), token: 'USDC', way: 'call', dataDir }, () => {})
  const [code] = program.exitCode === null ? await once(program, 'exit') : [program.exitCode]
  expect(code).toBe(0)
  const headers = { 'x-api-key': service.subscriptionKey }
  const response = await fetch(`${service.baseUrl}/api/receipts/order-1001`, { headers })
  expect(await response.json()).toMatchObject({
    currency: 'EUR',
    status: expect.stringMatching(/^(paid|reconciled)$/),
  })
})

async function findExamples(): Promise<string[]> {
  const read = (path: string) => readFile(join(root, path), 'utf8')
  const guides = ['README.md', 'docs/sdk.md', 'packages/sdk/README.md']
  const sources = (await readdir(join(root, 'packages/sdk/src'))).filter((name) => !name.endsWith('.test.ts'))
  const texts = await Promise.all(sources.map((name) => read(`packages/sdk/src/${name}`)))
  return [
    ...guides
      .flatMap((page) => readPage(page).filter(({ language }) => language === 'ts'))
      .map(({ text }) => text),
    ...texts
      .flatMap((text) => [...text.matchAll(/@example\n((?: *\* .*\n)+)/g)])
      .map(([, lines = '']) => lines.replaceAll(/^ *\* /gm, '')),
  ].map((code) => `${code}\nexport {}`)
}

const whatReadersHave = `
declare const Sluice: typeof import('@sluice/sdk').Sluice
declare const verifyWebhook: typeof import('@sluice/sdk').verifyWebhook
declare const sluice: import('@sluice/sdk').Sluice
declare const store: import('@sluice/sdk').CheckpointStore
declare const db: { one(sql: string): Promise<{ number: number; hash: string }>; run(...all: unknown[]): Promise<void> }
declare const [key, oldKey]: [string, string]
declare const signal: AbortSignal
declare const rawBody: Uint8Array
declare const request: import('node:http').IncomingMessage
declare function book(event: import('@sluice/sdk').WebhookEvent): Promise<void>
declare function writeFile(path: string, data: AsyncIterable<Uint8Array>): Promise<void>
`

const shop = `import { NotFoundError, type Receipt, Sluice } from '@sluice/sdk'

const sluice = new Sluice()
const id: string = 'package-' + process.version
await sluice.receipts.create({ id, lineItems: [{ label: 'Coffee', amount: 5 }] })
const { status } = await sluice.receipts.getStatus(id)
const error: unknown = await sluice.orders.get('not-there').catch((thrown: unknown) => thrown)
let events = true
for await (const entry of sluice.events.follow({ until: 'end' })) events &&= entry.event.receiptId !== ''
const receipts: Receipt[] = []
for await (const receipt of sluice.receipts.list({ q: id, limit: 1 })) receipts.push(receipt)
const name = error instanceof NotFoundError ? error.name : ''
console.log(JSON.stringify({ status, name, events, listed: receipts.some(({ receiptId }) => receiptId === id) }))
`
