import { connect } from 'node:net'
import { nativeAddress } from '@sluice/protocol/wallet.ts'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addHealth } from '../../src/app/health.ts'
import { makeHttp } from '../../src/app/http.ts'
import { connectChain } from '../../src/chain/connect-chain.ts'
import { describeNetwork } from '../../src/chain/networks.ts'
import { systemRandom } from '../../src/kernel/random.ts'
import { addDemoWallet } from '../../src/local/demo-wallet.ts'
import { localWallet } from '../../src/local/master-key.ts'
import { registerPages } from '../../src/pages/register-pages.ts'
import { makeFinalityPolicy } from '../../src/payments/finality.ts'
import { findCheckout, getPayableReceipt } from '../../src/payments/find-checkout.ts'
import { openAttempt } from '../../src/payments/open-attempt.ts'
import { checkoutRoutes } from '../../src/payments/routes.ts'
import { makeLog } from '../../src/platform/log.ts'
import { splitRoutes } from '../../src/split/routes.ts'
import { bodies, cursors, extraHeaders, methods, oddTexts, paths } from '../support/bad-inputs.ts'
import { testSplitTerms } from '../support/split-api.ts'
import { startApi, type TestApi, type TestMerchant } from '../support/start-api.ts'

/** The whole HTTP side: API, pages, demo wallet; its chain cannot be reached. */
let api: TestApi
let merchant: TestMerchant
let whole: ReturnType<typeof makeHttp>
let url: URL
const logged: string[] = []

beforeAll(async () => {
  api = await startApi({ edgeSecret: 'the edge has a secret of its own, 32 signs' })
  merchant = await api.addMerchant()
  await api.call('POST', '/api/receipts', {
    key: merchant.key,
    body: { id: 'there', lineItems: [{ label: 'A', priceUsd: 5 }], totalUsd: 5 },
  })
  const { db, clock, rates } = api.needs
  const log = makeLog('warn', { write: (line) => void logged.push(line) })
  const outbound = { request: async () => ({ kind: 'fault', fault: 'network', detail: 'away' }) as const }
  const network = describeNetwork(31337, { factory: nativeAddress, tokens: {} })
  const chain = connectChain({ outbound, clock, log }, network, ['http://127.0.0.1:1'])
  const random = systemRandom
  const needs = {
    db,
    clock,
    random,
    chain,
    log,
    policy: makeFinalityPolicy({ isProduction: false, endpointCount: 1 }),
  }
  const checkout = { ...needs, offer: { rates, minCents: 1n, maxCents: 100_000_000n } }
  whole = makeHttp({ ...api.access, random, log }, [
    ...api.routes,
    ...splitRoutes({ ...needs, splits: testSplitTerms }),
    ...checkoutRoutes(checkout),
  ])
  addHealth(whole)
  const site = {
    baseUrl: 'http://127.0.0.1',
    localRpcUrl: undefined,
    isProduction: false,
    hasDemoWallet: true,
  }
  await registerPages(whole, {
    ...needs,
    site,
    checkouts: {
      find: (id, recipient) => findCheckout(checkout, id, recipient),
      openAttempt: async (id, recipient, request) =>
        openAttempt(checkout, await getPayableReceipt(checkout, id, recipient), request),
    },
  })
  addDemoWallet(whole, {
    chain,
    buyer: localWallet('a master key of the tests, long enough', 'buyer'),
    baseUrl: 'http://127.0.0.1',
  })
  url = new URL(await whole.listen({ port: 0, host: '127.0.0.1' }))
})
afterAll(async () => {
  await whole?.close()
  await api?.stop()
})

/** Sends bytes and gives back the first answer as it came; what takes longer than two seconds is cut off. */
function exchange(bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(url.port), '127.0.0.1')
    let text = ''
    const end = () => {
      socket.destroy()
      resolve(text)
    }
    const timer = setTimeout(end, 2_000)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      text = text.replace('HTTP/1.1 100 Continue\r\n\r\n', '')
      const [head = '', body = ''] = text.split('\r\n\r\n', 2)
      const length = /content-length: (\d+)/i.exec(head)?.[1]
      if (
        (bytes.subarray(0, 5).toString() === 'HEAD ' && text.includes('\r\n\r\n')) ||
        head.includes('HTTP/1.1 204') ||
        /event-stream/.test(head) ||
        (length && body.length >= Number(length))
      ) {
        clearTimeout(timer)
        end()
      }
    })
    socket.on('error', end)
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(text)
    })
    socket.write(bytes)
  })
}

const statuses = [200, 201, 204, 302, 400, 401, 403, 404, 409, 410, 429, 503]

/** No answer says more than it may, and none is a defect of ours. */
function judge(answer: string, asked: string): void {
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])
  expect(statuses, `${asked}\n→ ${answer.slice(0, 800)}`).toContain(status)
  expect(answer, asked).not.toMatch(
    /node_modules|\.ts:\d+|SELECT |at \w+ \(|sk_(live|test)_|PostgreSQL|22021/,
  )
}

describe('whatever is sent', () => {
  test('has an answer of the contract, which tells nothing of the inside', async () => {
    const request = fc.record({
      method: fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom('GET', 'POST') },
        { weight: 1, arbitrary: fc.constantFrom(...methods) },
      ),
      path: fc.constantFrom(...paths),
      odd: fc.array(fc.constantFrom(...oddTexts, ...cursors), { minLength: 3, maxLength: 3 }),
      body: fc.option(fc.oneof(fc.constantFrom(...bodies), fc.json()), { nil: undefined }),
      headers: fc.oneof(
        { weight: 3, arbitrary: fc.constant('') },
        { weight: 1, arbitrary: fc.constantFrom(...extraHeaders) },
      ),
      hasKey: fc.boolean(),
      isJson: fc.boolean(),
      isChunked: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(request, async ({ method, path, odd, body, headers, hasKey, isJson, isChunked }) => {
        let at = 0
        const target = path
          .replace(/\*/g, () => odd[at++ % 3] ?? '')
          .replace(/@/g, merchant.wallet)
          .replace(/ /g, '%20')
        const head = [
          `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n`,
          hasKey ? `Ocp-Apim-Subscription-Key: ${merchant.key}\r\n` : '',
          isJson && body !== undefined ? 'Content-Type: application/json\r\n' : '',
          headers,
        ].join('')
        const bytes = Buffer.from(body ?? '')
        const framed =
          body === undefined
            ? Buffer.from(`${head}\r\n`, 'latin1')
            : isChunked
              ? Buffer.concat([
                  Buffer.from(
                    `${head}Transfer-Encoding: chunked\r\n\r\n${bytes.length.toString(16)}\r\n`,
                    'latin1',
                  ),
                  bytes,
                  Buffer.from('\r\n0\r\n\r\n'),
                ])
              : Buffer.concat([
                  Buffer.from(`${head}Content-Length: ${bytes.length}\r\n\r\n`, 'latin1'),
                  bytes,
                ])
        judge(await exchange(framed), framed.toString('latin1').slice(0, 700))
      }),
      { numRuns: 500 },
    )
    expect(
      logged.filter((line) => line.includes('a request failed') || line.includes('a page failed')),
    ).toEqual([])
  }, 120_000)
})
