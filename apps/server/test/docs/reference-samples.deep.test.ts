import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { assert, beforeAll, describe, expect, test } from 'vitest'
import { repositoryRoot } from '../../../../scripts/source/list-files.ts'
import { makeSnippets } from '../../../dashboard/src/screens/developers/make-snippets.ts'
import { sampleCalls } from '../../src/app/openapi/sample-calls.ts'
import type { CodeSample } from '../../src/app/openapi/write-samples.ts'
import { callApi } from '../support/api/call-api.ts'
import { logIn } from '../support/api/sessions.ts'
import { perFile } from '../support/per-file.ts'
import { findProgram, runProgram } from '../support/programs/run-program.ts'
import { runPython } from '../support/programs/run-script.ts'
import { makeTemporaryFolder } from '../support/programs/temporary-folder.ts'
import { startLocalService } from '../support/service/local-service.ts'
import { curl } from './curl.ts'

type Operation = {
  readonly security?: readonly Record<string, unknown>[]
  readonly deprecated?: boolean
  readonly responses?: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>
  readonly 'x-codeSamples'?: readonly CodeSample[]
}

const folder = perFile(() => makeTemporaryFolder('samples'))
const service = perFile(startLocalService)
let operations: Map<string, Operation>
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  const document = await (await fetch(`${service.baseUrl}/openapi.json`)).json()
  const { paths } = document as { paths: Record<string, Record<string, Operation>> }
  operations = new Map()
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods))
      operations.set(`${method.toUpperCase()} ${path}`, operation)
  env = {
    PATH: curl.path,
    SLUICE_URL: service.baseUrl,
    SLUICE_KEY: service.subscriptionKey,
    MERCHANT_WALLET: service.merchant.address,
    ORDER_ID: await placeOrder(),
  }
})

async function placeOrder(): Promise<string> {
  const { baseUrl, subscriptionKey: key } = service
  const product = { sku: 'first', name: 'First', priceUsd: 1 }
  await callApi(baseUrl, 'POST', '/api/inventory', { key, body: product })
  const order = { items: [{ sku: 'first', qty: 1 }], jurisdictionCode: 'US-OR' }
  return (await callApi(baseUrl, 'POST', '/api/orders', { key, body: order })).body.receiptId
}

/** Some samples are for who has logged in lately: on a slow machine all those of a language before it take longer than that. */
const logInAgain = async () => void Object.assign(env, await logInMerchant())

async function logInMerchant() {
  const { address, privateKey } = service.merchant
  const api = { call: callApi.bind(undefined, service.baseUrl) }
  const { cookie, csrfToken } = await logIn(api, { wallet: address as Wallet, privateKey })
  return { SLUICE_SESSION: cookie.split('=').slice(1).join('='), SLUICE_CSRF: csrfToken }
}

const sampleOf = (name: string, lang: string) =>
  operations.get(name)?.['x-codeSamples']?.find((sample) => sample.lang === lang)?.source ?? ''

test('every operation that a key is good for has samples in three languages, and no sample is of another', () => {
  const isKeyed = ({ security }: Operation) => security?.some((each) => 'subscriptionKey' in each)
  // One that does not end has its example in the guide: a sample would not end either.
  const isEndless = ({ responses }: Operation) => responses?.['200']?.content?.['text/event-stream']
  const wanted = (it: Operation) => isKeyed(it) && !it.deprecated && !isEndless(it)
  const expected = [...operations].filter(([, it]) => wanted(it)).map(([name]) => name)
  const found = [...operations].filter(([, it]) => it['x-codeSamples']).map(([name]) => name)
  expect(expected.filter((name) => !found.includes(name))).toEqual([])
  expect(found.toSorted()).toEqual(Object.keys(sampleCalls).toSorted())
  const languagesOf = (name: string) => operations.get(name)?.['x-codeSamples']?.map(({ lang }) => lang)
  for (const name of found) expect(languagesOf(name)).toEqual(['Shell', 'TypeScript', 'Python'])
})

test("the TypeScript samples, and the web app's snippets, pass the compiler at its strictest", async () => {
  const place = join(folder.path, 'types')
  await mkdir(place)
  for (const [i, name] of Object.keys(sampleCalls).entries())
    await writeFile(join(place, `sample-${i}.mts`), sampleOf(name, 'TypeScript'))
  const snippets = makeSnippets({ baseUrl: service.baseUrl, keyName: 'Shop', keyId: 'k-1', keyHint: 'sk_…' })
  for (const [name, each] of Object.entries(snippets)) {
    const { code } = each.find(({ language }) => language === 'TypeScript') ?? assert.fail(name)
    await writeFile(join(place, `${name}.mts`), code)
  }
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    target: 'es2024',
    module: 'nodenext',
    types: ['node'],
    typeRoots: [join(repositoryRoot, 'node_modules/@types')],
  }
  await writeFile(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.mts'] }))
  await runProgram(join(repositoryRoot, 'node_modules/.bin/tsc'), ['-p', place])
})

describe(`in ${curl.name}`, () => {
  beforeAll(logInAgain)
  test.each(Object.keys(sampleCalls))('%s runs as it stands', (name) =>
    runSample(name, 'Shell', (file) => runProgram('/bin/sh', [file], { env })))
})

describe('in TypeScript', () => {
  beforeAll(logInAgain)
  test.each(Object.keys(sampleCalls))('%s runs as it stands', (name) =>
    runSample(name, 'TypeScript', (file) => runProgram(process.execPath, [file], { env }), '.mts'))
})

const python3 = findProgram('python3')

const machine = python3 ? 'has' : 'lacks'

describe.runIf(python3)(`in Python, with the python3 that this machine ${machine}`, () => {
  beforeAll(logInAgain)
  test.each(Object.keys(sampleCalls))('%s runs as it stands', (name) =>
    runSample(name, 'Python', (file) =>
      runProgram(python3 ?? '', [file], { env: { ...env, HOME: process.env.HOME } }),
    ))
})

test(`the Python samples are Python, which is all that is tested where there is no python3 (this machine ${machine} one)`, async () => {
  const sources = Object.keys(sampleCalls).map((name) => sampleOf(name, 'Python'))
  const program =
    'import json\nfor source in json.load(open("sources.json")): print(len(compile(source, "x", "exec").co_code) > 0)'
  const printed = await runPython(program, { 'sources.json': JSON.stringify(sources) })
  expect(printed.split('\n')).toEqual(sources.map(() => 'True'))
})

/** Runs one as it stands; what it prints must be the answer of this operation. */
async function runSample(name: string, lang: string, run: (file: string) => Promise<string>, ending = '') {
  const file = join(folder.path, `${lang}-${name.replaceAll(/\W+/g, '-')}${ending}`)
  await writeFile(file, sampleOf(name, lang))
  const printed = await run(file)
  if (name.endsWith('/export')) return expect(printed).toMatch(/^\w+,\w+,/)
  if (lang === 'TypeScript') return expect(printed).toMatch(/^[[{]/)
  expect(JSON.parse(printed)).toBeInstanceOf(Object)
}
