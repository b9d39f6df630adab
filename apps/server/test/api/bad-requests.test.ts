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
    ...splitRoutes(needs),
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
function exchange(bytes: string | Buffer): Promise<string> {
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

const oddTexts = [
  '',
  ' ',
  '%00',
  '%',
  '%zz',
  '%ED%A0%80',
  '%c3%28',
  '..%2f..%2fetc%2fpasswd',
  '../../etc/passwd',
  '__proto__',
  'constructor',
  'toString',
  'there',
  'status',
  'R-00000000000000000000000000',
  'a'.repeat(129),
  'a'.repeat(5_000),
  "';DROP TABLE receipt;--",
  '%22%3E%3Cscript%3E',
  '%F0%9F%92%A9',
  '-1',
  '0x',
  '1e400',
  'null',
  'NaN',
  '%E2%80%AE',
]
const cursors = [
  '1:\0',
  '1:\ud800',
  '999999999999999:a',
  '0:',
  ':',
  '1:a\n',
  '9'.repeat(18) + ':' + '9'.repeat(18),
  '-1:1',
  ' 1:1',
].map((text) => Buffer.from(text).toString('base64url'))
const paths = [
  '/api/receipts',
  '/api/receipts/',
  '/api/receipts/*',
  '/api/receipts/status',
  '/api/receipts/status?receiptId=*',
  '/api/receipts?limit=*',
  '/api/receipts?cursor=*',
  '/api/receipts?limit=1&limit=2',
  '/api/split/deploy',
  '/api/split/transactions',
  '/api/split/transactions?cursor=*',
  '/api/split/transactions?address=*&limit=*',
  '/api/split/withdraw',
  '/api/checkout/*',
  '/api/checkout/*?recipient=*',
  '/api/checkout/*/attempts?recipient=*',
  '/api/checkout/there/attempts?recipient=@',
  '/api/checkout/there/hint?recipient=@',
  '/api/checkout/there?recipient=@',
  '/pay/*',
  '/pay/*?recipient=*',
  '/pay/there?recipient=@&token=*',
  '/pay/there/status?recipient=@',
  '/pay/*/status',
  '/pay/*/events',
  '/portal/*',
  '/portal/there?recipient=@&recipient=@',
  '/assets/*',
  '/local/wallet',
  '/local/*',
  '/healthz',
  '/healthz/*',
  '/favicon.ico',
  '/*',
  '//api//receipts',
  '/api',
  '/API/RECEIPTS',
  '/pay/there?__proto__[x]=1',
]
const bodies = [
  '',
  '{}',
  '[]',
  'null',
  '0',
  '"a"',
  '{',
  '{"id":',
  '\u0000',
  '{"__proto__":{"x":1}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '['.repeat(40) + ']'.repeat(40),
  '{"id":"x","lineItems":[{"label":"A","priceUsd":1e400}],"totalUsd":1e400}',
  '{"id":"x\\u0000","lineItems":[],"totalUsd":1}',
  '{"id":"\\ud800","lineItems":[{"label":"\\ud800","amount":1}]}',
  '{"id":"x1","lineItems":[{"label":"A","amount":0.1},{"label":"B","amount":-0.1}]}',
  '{"id":"x2","lineItems":[{"label":"A","amount":9999999999999999}]}',
  '{"id":"x3","lineItems":[{"label":"A","priceUsd":1,"qty":1e-320}],"totalUsd":1}',
  '{"id":"x4","lineItems":[{"label":"A","amount":1}],"expiresAt":1e308}',
  '{"id":"x5","lineItems":[{"label":"A","amount":1}],"expiresAt":9007199254740993}',
  '{"id":"x6","lineItems":[{"label":"A","amount":1}],"metadata":{"a":{"__proto__":1}}}',
  '{"id":"x7","lineItems":[{"label":"A","amount":1}],"metadata":{"n":1e400}}',
  '{"id":"x8","lineItems":[{"label":"A","amount":1}],"webhook_url":"http://[::1"}',
  '{"id":"x9","lineItems":[{"label":"A","amount":1}],"webhook_url":"https://user:p@h/"}',
  '{"id":"x10","lineItems":[{"label":"A","amount":1}],"taxRate":1e-7,"taxComponents":["a"]}',
  '{"id":"x11","lineItems":[{"label":"A","amount":1}],"currency":"\u0130"}',
  '{"id":"x12","lineItems":[{"label":"A","amount":1}],"currency":"eur"}',
  `{"id":"x13","lineItems":[${'{"label":"A","amount":0},'.repeat(600)}{"label":"A","amount":1}]}`,
  '{"token":"ETH"}',
  '{"token":"__proto__"}',
  '{"token":"ETH","payer":"0x"}',
  '{"token":"ETH","payer":null}',
  '{"transactionHash":"0x"}',
  '{"transactionHash":7}',
  '{"method":"eth_call","params":[{"to":"0x"}]}',
  '{"method":"eth_sendTransaction","params":[{"to":"0x0000000000000000000000000000000000000000","value":"0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"}]}',
  '{"method":"toString"}',
  '{"method":"eth_getTransactionReceipt","params":[{}]}',
  `{"x":"${'y'.repeat(300_000)}"}`,
]
const extraHeaders = [
  '',
  'Expect: 100-continue\r\n',
  'Expect: nonsense\r\n',
  'X-Correlation-Id: a\tb\r\n',
  'X-Correlation-Id: ok\r\nX-Correlation-Id: ok2\r\n',
  'x-wallet: 0x1\r\nwallet: 0x2\r\n',
  'x-edge-secret: wrong\r\n',
  'x-forwarded-for: \xff\r\n',
  'Accept-Encoding: gzip\r\n',
  'Content-Type: text/plain\r\n',
  'Content-Type: application/json; charset=\xff\r\n',
  'Content-Encoding: gzip\r\n',
  'Origin: null\r\n',
  'Cookie: cb_auth_token=x\r\n',
  'Range: bytes=0-1\r\n',
  'Transfer-Encoding: gzip, chunked\r\n',
  'Upgrade: websocket\r\nConnection: Upgrade\r\n',
  'X-HTTP-Method-Override: DELETE\r\n',
  'If-None-Match: *\r\n',
]
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND']

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
