import { expect, test } from 'vitest'
import { Asker, exchange } from '../../support/api/raw-requests.ts'
import { perFile } from '../../support/per-file.ts'
import { listMountedRoutes } from '../../support/routes/mounted-routes.ts'
import { startWholeService } from '../../support/service/whole-service.ts'

const service = perFile(() => startWholeService({ isOffline: true }))
const asker = perFile(() => new Asker(service.port))

const send = async (text: string) => (await exchange(service.port, Buffer.from(text))).text

const common = {
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

const hasForms = /^\/(shop|claim|docs)(\/|$)/

test('every answer says what it is, tells nobody where one came from, and asks for TLS', async () => {
  const missing: string[] = []
  const targets = listMountedRoutes(service.app).map(({ method, path }) => {
    return { method, target: path.replace(/\{\w+\}/g, 'x') }
  })
  expect(targets.length).toBeGreaterThan(50)
  targets.push({ method: 'GET', target: '/nothing' }, { method: 'PUT', target: '/api/nothing' })
  targets.push({ method: 'GET', target: '/api/receipts/%zz' })
  for (const { method, target } of targets) {
    const { headers } = await asker.ask({ method, target })
    // A page with a form sends the referrer to its own origin only.
    const policy = hasForms.test(target) && headers['referrer-policy'] === 'same-origin' && 'same-origin'
    const expected = { ...common, ...(policy && { 'referrer-policy': policy }) }
    for (const [header, value] of Object.entries(expected))
      if (headers[header] !== value) missing.push(`${method} ${target}: ${header} is ${headers[header]}`)
  }
  for (const [name, text] of [
    ['no request', 'nonsense\r\n\r\n'],
    ['a wrong Expect', 'GET / HTTP/1.1\r\nHost: x\r\nExpect: nonsense\r\n\r\n'],
  ] as const) {
    const head = (await send(text)).toLowerCase()
    for (const [header, value] of Object.entries(common))
      if (!head.includes(`${header}: ${value}`)) missing.push(`${name}: ${header}`)
  }
  expect(missing).toEqual([])
})

test('HEAD is answered as GET at every address but those of streams', async () => {
  const errors: string[] = []
  for (const { method, path } of listMountedRoutes(service.app)) {
    if (method !== 'GET') continue
    const target = path.replace(/\{\w+\}/g, 'x')
    const [get, head] = [await asker.ask({ method, target }), await asker.ask({ method: 'HEAD', target })]
    const expected = /\/events(\/stream)?$/.test(path) && path !== '/api/events' ? 404 : get.status
    if (head.status !== expected || head.text !== '') errors.push(`${path}: ${head.status}, not ${expected}`)
  }
  expect(errors).toEqual([])
})

test('two Hosts are refused: a proxy and we could take different ones', async () => {
  for (const [target, hosts] of [
    ['/api/receipts', 'Host: pay.example.com\r\nHost: pay.example.com'],
    ['/api/receipts', 'Host: a.example\r\nhost: b.example'],
    ['http://a.example/pay/x', 'Host: b.example'],
  ]) {
    const response = await send(`GET ${target} HTTP/1.1\r\n${hosts}\r\nConnection: close\r\n\r\n`)
    expect(response).toMatch(/^HTTP\/1\.1 400 /)
  }
})

test('what does not exist is named by its first hundred characters', async () => {
  const { status, text } = await asker.ask({ method: 'GET', target: `/api/${'x'.repeat(3_000)}` })
  expect(status).toBe(404)
  expect(text).toContain('x'.repeat(90))
  expect(text).not.toContain('x'.repeat(101))
})

test('figures are for who has their token', async () => {
  const ask = (headers: Record<string, string> = {}) =>
    asker.ask({ method: 'GET', target: '/metrics', headers })
  const token = service.keys.metricsToken
  expect((await ask({ authorization: `Bearer ${token}` })).text).toContain('sluice_request_seconds')
  for (const headers of [
    {},
    { authorization: token },
    { authorization: `Bearer ${token.slice(1)}` },
    { authorization: 'Bearer ' },
    { 'x-forwarded-for': '127.0.0.1' },
  ])
    expect((await ask(headers)).status).toBe(404)
})
