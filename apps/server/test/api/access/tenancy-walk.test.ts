import { type MemberRole, memberRoles, type Role } from '@sluice/protocol/api/access.ts'
import { checkoutView } from '@sluice/protocol/api/checkout.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Access } from '../../../src/access/access.ts'
import { rolesWith } from '../../../src/access/role.ts'
import type { Route } from '../../../src/access/route.ts'
import { sessionHeaders } from '../../support/api/call-api.ts'
import { Asker, type Reply } from '../../support/api/raw-requests.ts'
import { logIn } from '../../support/api/sessions.ts'
import { type Digest, digestTables } from '../../support/database/table-digest.ts'
import { perFile } from '../../support/per-file.ts'
import { listMountedRoutes, nameOfRoute } from '../../support/routes/mounted-routes.ts'
import { type Cursors, own, type Probe, type Probes } from '../../support/routes/probe.ts'
import { probes } from '../../support/routes/tenancy-probes.ts'
import { apiOf, makeTenant } from '../../support/service/tenant.ts'
import { startWholeService } from '../../support/service/whole-service.ts'

/** Who sends a request; `role` is that of a session. */
type Sender = {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  readonly role?: Role | 'key'
}

const service = perFile(startWholeService)
const asker = perFile(() => new Asker(service.port))
const a = perFile(() => makeTenant(service, asker))
const b = perFile(() => makeTenant(service, asker))
const operator = perFile(() => logIn(apiOf(service, asker), service.operator))
const mounted = perFile(() => listMountedRoutes(service.app).map(nameOfRoute))
const cursors = perFile(findCursors)
/** With the script of the reference, whose name tells its content. */
const everyProbe = perFile<Readonly<Record<string, Probes>>>(async () => {
  const { text } = await asker.ask({ method: 'GET', target: '/docs/' })
  const [script = ''] = /\/docs\/js\/[\w.]+/.exec(text) ?? []
  return { ...probes, 'GET /docs/js/{file}': own(script) }
})
const senders = perFile(listSenders)
let before: Digest

beforeAll(async () => {
  const change = { recipients: [{ address: a.member, sharesBps: 9_950 }] }
  const asOwner = { session: a.sessions.owner, body: change }
  expect((await apiOf(service, asker).call('POST', '/api/split/versions', asOwner)).status).toBe(201)
  // A checkout page that anybody opens offers to pay: what that writes is the visitor's doing.
  for (const id of [...Object.values(a.receipts), a.orderId])
    await ask({ target: `/pay/${id}?recipient=${a.wallet}`, outcome: 'public' }, 'GET', {})
  before = await digestTables(service.world.db, a.wallet)
})

function listSenders(): Sender[] {
  const wallets = { 'x-wallet': a.wallet, wallet: a.wallet }
  const claims = { ...wallets, 'x-subscription-id': a.subscriptionId, 'x-forwarded-for': '127.0.0.1' }
  const key = { 'ocp-apim-subscription-key': b.key }
  return [
    { name: 'the key of another', role: 'key', headers: key },
    { name: 'the key of another who claims to be A', role: 'key', headers: { ...key, ...claims } },
    ...memberRoles.map((role: MemberRole) => ({
      name: `the ${role} of another`,
      role,
      headers: sessionHeaders(b.sessions[role]),
    })),
    { name: 'the operator', role: 'operator', headers: sessionHeaders(operator) },
    { name: 'nobody', headers: {} },
    { name: 'nobody who claims to be A', headers: claims },
  ]
}

/** Where A's own lists go on after one row. */
async function findCursors(): Promise<Cursors> {
  const found: Record<string, string> = {}
  for (const path of mounted.filter((name) => name.startsWith('GET /api/')).map((name) => name.slice(4))) {
    if (path.includes('{')) continue
    const probe = { target: `${path}?limit=1`, outcome: 'own' } as const
    const reply = await ask(probe, 'GET', sessionHeaders(a.sessions.owner))
    const cursor = /json/.test(String(reply.headers['content-type']))
      ? (JSON.parse(reply.text).nextCursor ?? reply.headers['x-next-cursor'])
      : undefined
    if (typeof cursor === 'string') found[path] = cursor
  }
  return found
}

function ask(probe: Probe, method: string, headers: Record<string, string>): Promise<Reply> {
  const { target, body } = probe
  const text = typeof body === 'object' ? JSON.stringify(body) : body
  const type = text !== undefined && { 'content-type': 'application/json' }
  return asker.ask({ method, target, body: text, headers: { ...type, ...headers, ...probe.headers } })
}

/** Whether a route's rule lets a sender in; `undefined` where the route finds out later. */
function mayCall(access: Access, { role, headers }: Sender): boolean | undefined {
  // Who claims to be a wallet and proves nothing is refused what everybody may read.
  const isClaim = role === undefined && 'x-wallet' in headers
  if (isClaim && (access.kind === 'public' || access.kind === 'key-or-public')) return false
  switch (access.kind) {
    case 'public':
      return true
    case 'judged-later':
      return undefined
    case 'key':
      return role === 'key'
    case 'known':
      return role !== undefined
    case 'session':
      return role !== undefined && role !== 'key' && access.roles.includes(role)
    case 'key-or-public':
      return role === undefined || role === 'key' || mayRead(access.scope, role)
    case 'key-or-session':
      if (role === undefined || role === 'key') return role === 'key'
      return (access.roles ?? rolesWith(access.scope)).includes(role)
  }
}

function mayRead(scope: Parameters<typeof rolesWith>[0], role: Role): boolean {
  return role !== 'operator' && rolesWith(scope).includes(role)
}

/** What of A stands in an answer that did not stand in its question. */
function leaksIn(reply: Reply, probe: Probe): string[] {
  const asked = JSON.stringify([probe.target, probe.body])
  const told = (reply.text + JSON.stringify(reply.headers)).toLowerCase()
  const never = [a.privateWord, ...a.secrets, ...service.secrets]
  const itself = [a.wallet, a.publicWord, a.slug, a.subscriptionId, a.member, a.splitAddress]
  const itsOwn = [a.productId, a.draftId, a.soldId, a.orderId, a.unmatchedId, a.deliveryId]
  const lists = [...a.keyIds, ...a.sessionIds, ...Object.values(a.receipts)]
  const hidden = [...itself, ...itsOwn, ...lists].filter((text) => !asked.includes(text))
  const sought = probe.outcome === 'public' ? never : [...never, ...hidden]
  return sought.filter((text) => told.includes(text.toLowerCase()))
}

const refusals = [400, 401, 403, 409, 410]

function statusesFor(probe: Probe, isAllowed: boolean | undefined): readonly number[] {
  if (isAllowed === false) return [401, 403, 400]
  const open = {
    'not-found': [404],
    own: [200, 201, 301, 302, 400, 401],
    refused: refusals,
    // A program is told what is to be paid, that it is under way, or that it is gone.
    public: [200, 201, 202, 204, 402, 410],
  }
  const may = open[probe.outcome]
  return isAllowed === undefined ? [...may, ...refusals, 404] : may
}

describe('another merchant, or nobody,', () => {
  test('is tried at every endpoint there is', () => {
    expect(Object.keys(everyProbe).toSorted()).toEqual(mounted.toSorted())
  })

  test('meets a rule of access at everything under /api', () => {
    const declared = service.routes.map(nameOfRoute)
    const underApi = mounted.filter((name) => name.includes(' /api/'))
    expect(underApi.filter((name) => !declared.includes(name))).toEqual([])
    expect(service.routes.filter(({ access }) => !access)).toEqual([])
  })

  test("gets nothing of a merchant's by its ids, wallet, cursors or keys", async () => {
    const faults: string[] = []
    let count = 0
    for (const [name, make] of Object.entries(everyProbe)) {
      const [method = ''] = name.split(' ')
      const route = service.routes.find((each) => nameOfRoute(each) === name)
      for (const probe of make(a, cursors, b)) {
        for (const sender of senders) {
          if (probe.isForOperator && sender.role === 'operator') continue
          count++
          const reply = await ask(probe, method, { ...sender.headers })
          const isAllowed = route ? mayCall((route as Route).access, sender) : true
          const said = `${sender.name}: ${method} ${probe.target} → ${reply.status} ${reply.text.slice(0, 300)}`
          const expected = [
            ...statusesFor(probe, isAllowed),
            // What a session without a merchant is told wherever one is needed.
            ...(sender.role === 'operator' && reply.text.includes('wallet_required') ? [400] : []),
          ]
          if (!expected.includes(reply.status) && !isUsual(name, reply)) faults.push(`status of ${said}`)
          const leaks = leaksIn(reply, probe)
          if (leaks.length > 0) faults.push(`${leaks.join()} in the answer of ${said}`)
        }
      }
    }
    console.log(`tenancy: ${count} requests to ${Object.keys(everyProbe).length} endpoints`)
    expect(faults).toEqual([])
    expect(service.logged.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })

  test("changes no row of a merchant's", async () => {
    const after = await digestTables(service.world.db, a.wallet)
    expect([...after].filter(([table, digest]) => before.get(table) !== digest)).toEqual([])
  })
})

/** The demo wallet is for pages of its own service, and metrics are not for who comes through a proxy. */
function isUsual(name: string, { status }: Reply): boolean {
  return (
    (/^POST \/local\/(merchant-)?wallet$/.test(name) && status === 403) ||
    (name === 'GET /metrics' && status === 404)
  )
}

describe('the merchant', () => {
  test('still has everything, and sees it', async () => {
    const headers = { 'ocp-apim-subscription-key': a.key }
    const sees = async (target: string, text: string, as: Record<string, string> = headers) => {
      const reply = await ask({ target, outcome: 'own' }, 'GET', as)
      expect(reply.status, target).toBe(200)
      expect(reply.text, target).toContain(text)
    }
    const owner = sessionHeaders(a.sessions.owner)
    for (const id of Object.values(a.receipts)) await sees(`/api/receipts/${id}`, a.publicWord)
    await sees('/api/receipts', a.receipts.paid)
    await sees('/api/orders', a.orderId)
    await sees(`/api/orders/${a.orderId}`, a.privateWord)
    await sees('/api/inventory?status=any', a.draftId)
    await sees(`/api/inventory/${a.productId}`, a.publicWord)
    await sees('/api/inventory/export', a.sku)
    await sees('/api/events', a.privateWord)
    await sees('/api/webhooks/deliveries', a.privateWord)
    await sees('/api/payments/unmatched', a.unmatchedId)
    await sees('/api/split/deploy', a.splitAddress)
    await sees('/api/split/transactions', a.receipts.paid)
    await sees('/api/shop/config', a.slug)
    await sees('/api/settings', a.privateWord, owner)
    await sees('/api/subscriptions', a.subscriptionId, owner)
    await sees('/api/members', a.member, owner)
    await sees('/api/audit', a.subscriptionId, owner)
    await sees('/api/auth/sessions', a.sessionIds[0] ?? 'none', owner)
  })
})

describe('everybody', () => {
  const get = async (target: string, headers: Record<string, string> = {}) => {
    const reply = await ask({ target, outcome: 'public' }, 'GET', headers)
    expect(reply.status, reply.text).toBe(200)
    return JSON.parse(reply.text)
  }

  test('sees of a catalogue what a storefront shows: no costs, no drafts', async () => {
    const byWallet = await get('/api/inventory', { 'x-merchant-wallet': a.wallet })
    for (const { items, total } of [byWallet, await get(`/api/inventory?slug=${a.slug}`)]) {
      expect(total).toBe(2)
      expect(items.map(({ id }: { id: string }) => id).sort()).toEqual([a.productId, a.soldId].sort())
      for (const item of items) expect(Object.keys(item)).not.toContain('costUsd')
    }
  })

  test('sees of a shop its configuration alone', async () => {
    const { config } = await get('/api/shop/config', { 'x-merchant-wallet': a.wallet })
    expect(JSON.stringify(config)).not.toContain(a.wallet)
    expect(config.slug).toBe(a.slug)
  })

  test('sees of a receipt what its checkout shows: no billing, no metadata, no webhook', async () => {
    const known = Object.keys(checkoutView.properties)
    for (const id of Object.values(a.receipts)) {
      const view = await get(`/api/checkout/${id}?recipient=${a.wallet}`)
      expect(Object.keys(view).filter((field) => !known.includes(field))).toEqual([])
    }
  })
})
