import { createHmac } from 'node:crypto'
import type { OutgoingHttpHeaders } from 'node:http'
import { memberRoles } from '@sluice/protocol/api/access.ts'
import type { Access } from '../../../../src/access/access.ts'
import { makeApiKey } from '../../../../src/access/keys/api-key.ts'
import { systemRandom } from '../../../../src/kernel/random.ts'
import { sessionHeaders, testBaseUrl } from '../../../support/api/call-api.ts'
import { type BadCase, forbidden, unauthorized } from './bad-case.ts'
import { goodRequest, type Spoiled } from './requests-of-route.ts'

export function badCredentialsOf(spoiled: Spoiled): BadCase[] {
  const { route, sample, tenant } = spoiled
  const { access } = route
  const [as = 'nobody'] = sample.as
  const good = goodRequest(spoiled, as)
  const bare = goodRequest(spoiled, 'nobody')
  const ask = (what: string, headers: OutgoingHttpHeaders, expect: readonly string[], from = bare) => ({
    what,
    question: { ...from, headers: { ...from.headers, ...headers } },
    expect,
  })
  const edge = edgeSecrets.map((secret) =>
    ask(`the edge secret ${String(secret).slice(0, 20)}`, { 'x-edge-secret': secret }, forbidden, good),
  )
  if (['public', 'known-or-public', 'judged-later'].includes(access.kind)) return edge

  const keys = badKeys(tenant.key).flatMap((key) => [
    ask(`the key ${String(key).slice(0, 60)}`, { 'ocp-apim-subscription-key': key }, unauthorized),
    ask(`the API key ${String(key).slice(0, 60)}`, { 'x-api-key': key }, unauthorized),
  ])
  const unlike = { 'ocp-apim-subscription-key': tenant.key, 'x-api-key': makeApiKey('test', systemRandom) }
  const tokens = badTokens(tenant.sessions.owner.cookie).map((cookie) =>
    ask(`the cookie ${cookie.slice(0, 60)}`, { cookie }, unauthorized),
  )
  return [
    ...edge,
    ...keys,
    ...tokens,
    ask('two keys that differ', unlike, unauthorized),
    ask('no credentials', {}, unauthorized),
    ask('a wallet instead of credentials', { 'x-wallet': tenant.wallet }, forbidden),
    ask('another wallet header', { wallet: tenant.wallet }, forbidden),
    ask('a subscription id', { 'x-subscription-id': tenant.subscriptionId }, unauthorized),
    ask('a forwarded address', { 'x-forwarded-for': '127.0.0.1', forwarded: 'for=127.0.0.1' }, unauthorized),
    ask('a rewritten URL', { 'x-original-url': '/healthz', 'x-rewrite-url': '/healthz' }, unauthorized),
    ask('a basic login', { authorization: 'Basic YWRtaW46YWRtaW4=' }, unauthorized),
    ask('the key as a bearer', { authorization: `Bearer ${tenant.key}` }, unauthorized),
    ...(access.kind === 'session' ? refusedSessions(spoiled, access) : []),
    ...(route.method !== 'GET' && sample.as.includes('owner') ? forged(spoiled) : []),
  ]
}

const edgeSecrets = ['', 'wrong', 'x'.repeat(4_000), ['a', 'b']]

function badKeys(key: string): (string | string[])[] {
  return [
    ...[makeApiKey('test', systemRandom), makeApiKey('live', systemRandom)],
    `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`,
    ...[key.slice(0, -1), `${key}0`, `"${key}"`, `Bearer ${key}`],
    ...[key.toUpperCase(), key.replace('sk_test_', 'sk_live_')],
    ...['sk_test_', 'null', "' OR 1=1--", '\u00e9'.repeat(20), 'x'.repeat(8_000)],
    [key, key],
  ]
}

function badTokens(cookie: string): string[] {
  const [name = '', token = ''] = cookie.split('=')
  const [header = '', payload = '', signature = ''] = token.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const write = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const sign = (head: string, body: string, secret: string) =>
    `${head}.${body}.${createHmac('sha256', secret).update(`${head}.${body}`).digest('base64url')}`
  const none = write({ alg: 'none', typ: 'JWT' })
  return [
    ...[`${header}.${payload}.`, `${header}.${payload}`],
    ...[`${none}.${payload}.`, `${none}.${payload}.${signature}`],
    `${header}.${write({ ...claims, sub: `0x${'1'.repeat(40)}` })}.${signature}`,
    `${header}.${payload}.${signature.slice(0, -2)}AA`,
    sign(header, payload, 'secret'),
    sign(header, payload, ''),
    sign(write({ alg: 'HS512', typ: 'JWT' }), payload, 'secret'),
    sign(write({ alg: 'RS256', jku: 'https://example.com/k' }), payload, 'secret'),
    sign(write({ alg: 'HS256', kid: '../../../dev/null' }), payload, ''),
    `${token}.${signature}`,
    ...['a.b.c', '..', 'null', `"${token}"`, '%00', 'x'.repeat(8_000)],
  ].map((text) => `${name}=${text}`)
}

function refusedSessions(spoiled: Spoiled, access: Extract<Access, { kind: 'session' }>): BadCase[] {
  const { tenant } = spoiled
  const roles = memberRoles.filter((role) => role !== 'owner' && !access.roles.includes(role))
  return [
    forbids(spoiled, 'a key', { 'ocp-apim-subscription-key': tenant.key }),
    ...roles.map((role) => forbids(spoiled, `the role ${role}`, sessionHeaders(tenant.sessions[role]))),
  ]
}

function forbids(spoiled: Spoiled, what: string, headers: OutgoingHttpHeaders): BadCase {
  const bare = goodRequest(spoiled, 'nobody')
  return { what, question: { ...bare, headers: { ...bare.headers, ...headers } }, expect: forbidden }
}

/** Returns requests that another site's page could make a browser send. */
function forged(spoiled: Spoiled): BadCase[] {
  const { tenant } = spoiled
  const { cookie, csrfToken } = tenant.sessions.owner
  const right = { cookie, 'x-csrf-token': csrfToken, origin: testBaseUrl }
  const wrong: Record<string, OutgoingHttpHeaders> = {
    'no CSRF token': { ...right, 'x-csrf-token': undefined },
    'an empty CSRF token': { ...right, 'x-csrf-token': '' },
    'half a CSRF token': { ...right, 'x-csrf-token': csrfToken.slice(0, 20) },
    'the CSRF token of another session': { ...right, 'x-csrf-token': tenant.sessions.admin.csrfToken },
    'two CSRF tokens': { ...right, 'x-csrf-token': [csrfToken, csrfToken] },
    'no origin': { ...right, origin: undefined },
    'the origin null': { ...right, origin: 'null' },
    'another origin': { ...right, origin: 'https://evil.example' },
    'an origin like ours': { ...right, origin: `${testBaseUrl}.evil.example` },
    'our origin without TLS': { ...right, origin: testBaseUrl.replace('https', 'http') },
    'our origin on another port': { ...right, origin: `${testBaseUrl}:8443` },
    'our origin with a path': { ...right, origin: `${testBaseUrl}/x` },
    'a referer alone': { ...right, origin: undefined, referer: `${testBaseUrl}/` },
  }
  return Object.entries(wrong).map(([what, headers]) => {
    const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))
    return forbids(spoiled, what, sent)
  })
}
