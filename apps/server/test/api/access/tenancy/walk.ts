import { memberRoles, type Role } from '@sluice/protocol/api/access.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { sessionHeaders } from '../../../support/api/call-api.ts'
import { Asker, type Reply } from '../../../support/api/raw-requests.ts'
import { logIn } from '../../../support/api/sessions.ts'
import { type Digest, digestTables } from '../../../support/database/table-digest.ts'
import { perFile } from '../../../support/per-file.ts'
import { listMountedRoutes, nameOfRoute } from '../../../support/routes/mounted-routes.ts'
import { apiOf, makeTenant } from '../../../support/service/tenant.ts'
import { startWholeService } from '../../../support/service/whole-service.ts'
import { isExpected, type Sender } from './expected-replies.ts'
import { type Cursors, own, type Probe, type Probes } from './probe.ts'
import { probes } from './probes.ts'

/** A running service with two merchants. B calls every endpoint to try to reach A's data. */
export type Tenancy = ReturnType<typeof startTenancy>

export function startTenancy() {
  const service = perFile(startWholeService)
  const asker = perFile(() => new Asker(service.port))
  const a = perFile(() => makeTenant(service, asker))
  const b = perFile(() => makeTenant(service, asker))
  const operator = perFile(() => logIn(apiOf(service, asker), service.operator))
  const mounted = perFile(() => listMountedRoutes(service.app).map(nameOfRoute))
  const everyProbe = perFile<Readonly<Record<string, Probes>>>(async () => {
    // The script's name depends on its content.
    const { text } = await asker.ask({ method: 'GET', target: '/docs/api' })
    const [script = ''] = /\/docs\/js\/[\w.]+/.exec(text) ?? []
    return { ...probes, 'GET /docs/js/{file}': own(script) }
  })
  const ask = (probe: Probe, method: string, headers: Readonly<Record<string, string>>): Promise<Reply> => {
    const { target, body } = probe
    const text = typeof body === 'object' ? JSON.stringify(body) : body
    const type = text !== undefined && { 'content-type': 'application/json' }
    return asker.ask({ method, target, body: text, headers: { ...type, ...headers, ...probe.headers } })
  }
  return { service, asker, a, b, operator, mounted, everyProbe, ask }
}

export type Try = readonly [probe: Probe, sender: Sender]

/**
 * Defines tests in which other callers try to reach A's data at every endpoint.
 *
 * @param draw - Selects the requests to send from all requests to an endpoint.
 */
export function testTenancy(context: Tenancy, draw: (name: string, tries: readonly Try[]) => readonly Try[]) {
  const { service, asker, a, b, everyProbe, ask } = context
  const cursors = perFile(() => findCursors(context))
  const senders = perFile(() => listSenders(context))
  let before: Digest

  beforeAll(async () => {
    const change = { recipients: [{ address: a.member, sharesBps: 9_950 }] }
    const asOwner = { session: a.sessions.owner, body: change }
    expect((await apiOf(service, asker).call('POST', '/api/split/versions', asOwner)).status).toBe(201)
    // The first visit to a checkout page creates attempts, which would look like a change by another
    // merchant.
    for (const id of [...Object.values(a.receipts), a.orderId])
      await ask({ target: `/pay/${id}?recipient=${a.wallet}`, outcome: 'public' }, 'GET', {})
    before = await digestTables(service.context.db, a.wallet)
  })

  describe('another merchant, or nobody,', () => {
    test("gets nothing of a merchant's by its ids, wallet, cursors or keys", async () => {
      const errors: string[] = []
      let count = 0
      for (const [name, make] of Object.entries(everyProbe)) {
        const [method = ''] = name.split(' ')
        const access = service.routes.find((each) => nameOfRoute(each) === name)?.access
        const tries = make(a, cursors, b).flatMap((probe) =>
          senders
            .filter(({ role }) => !(probe.isForOperator && role === 'operator'))
            .map((sender): Try => [probe, sender]),
        )
        for (const [probe, sender] of draw(name, tries)) {
          count++
          const reply = await ask(probe, method, sender.headers)
          const said = `${sender.name}: ${method} ${probe.target} → ${reply.status} ${reply.text.slice(0, 300)}`
          if (!isExpected(name, access, probe, sender, reply)) errors.push(`status of ${said}`)
          const leaks = findLeaks(context, reply, probe)
          if (leaks.length > 0) errors.push(`${leaks.join()} in the answer of ${said}`)
        }
      }
      console.log(`tenancy: ${count} requests to ${Object.keys(everyProbe).length} endpoints`)
      expect(errors).toEqual([])
      expect(service.logged.filter(({ level }) => Number(level) >= 50)).toEqual([])
    })

    test("changes no row of a merchant's", async () => {
      const after = await digestTables(service.context.db, a.wallet)
      expect([...after].filter(([table, digest]) => before.get(table) !== digest)).toEqual([])
    })
  })

  describe('the merchant', () => {
    test('still has everything, and sees it', async () => {
      const byKey = { 'ocp-apim-subscription-key': a.key }
      const sees = async (target: string, text: string, headers: Record<string, string> = byKey) => {
        const reply = await ask({ target, outcome: 'own' }, 'GET', headers)
        expect(reply.status, target).toBe(200)
        expect(reply.text, target).toContain(text)
      }
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
      const owner = sessionHeaders(a.sessions.owner)
      await sees('/api/settings', a.privateWord, owner)
      await sees('/api/subscriptions', a.subscriptionId, owner)
      await sees('/api/members', a.member, owner)
      await sees('/api/audit', a.subscriptionId, owner)
      await sees('/api/auth/sessions', a.sessionIds[0] ?? 'none', owner)
    })
  })
}

function listSenders({ a, b, operator }: Tenancy): Sender[] {
  const wallets = { 'x-wallet': a.wallet, wallet: a.wallet }
  const claims = { ...wallets, 'x-subscription-id': a.subscriptionId, 'x-forwarded-for': '127.0.0.1' }
  const key = { 'ocp-apim-subscription-key': b.key }
  return [
    { name: 'the key of another', role: 'key', headers: key },
    { name: 'the key of another who claims to be A', role: 'key', headers: { ...key, ...claims } },
    ...memberRoles.map((role) => ({
      name: `the ${role} of another`,
      role: role as Role,
      headers: sessionHeaders(b.sessions[role]),
    })),
    { name: 'the operator', role: 'operator', headers: sessionHeaders(operator) },
    { name: 'nobody', headers: {} },
    { name: 'nobody who claims to be A', headers: claims },
  ]
}

/** Returns, by path, the cursor after the first row of each of A's lists. */
async function findCursors({ a, mounted, ask }: Tenancy): Promise<Cursors> {
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

/** Returns the parts of A's data that a response contains but its request did not. */
function findLeaks({ a, service }: Tenancy, reply: Reply, probe: Probe): string[] {
  const asked = JSON.stringify([probe.target, probe.body])
  const shown = (reply.text + JSON.stringify(reply.headers)).toLowerCase()
  const never = [a.privateWord, ...a.secrets, ...service.secrets]
  const merchant = [a.wallet, a.publicWord, a.slug, a.subscriptionId, a.member, a.splitAddress]
  const things = [a.productId, a.draftId, a.soldId, a.orderId, a.unmatchedId, a.deliveryId]
  const lists = [...a.keyIds, ...a.sessionIds, ...Object.values(a.receipts)]
  const hidden = [...merchant, ...things, ...lists].filter((text) => !asked.includes(text))
  const sought = probe.outcome === 'public' ? never : [...never, ...hidden]
  return sought.filter((text) => shown.includes(text.toLowerCase()))
}
