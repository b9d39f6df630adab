import { failingCards } from '@sluice/protocol/test-cards.ts'
import { describe, expect, test } from 'vitest'
import { Asker, type Reply } from '../../support/api/raw-requests.ts'
import { perFile } from '../../support/per-file.ts'
import { listMountedRoutes, nameOfRoute } from '../../support/routes/mounted-routes.ts'
import { makeTenant } from '../../support/service/tenant.ts'
import { startWholeService } from '../../support/service/whole-service.ts'
import { form, receiptIds } from '../access/tenancy/probe.ts'
import { bodies, oddTexts } from '../service/bad-inputs/raw-requests.ts'

const settings = {
  NODE_ENV: 'development',
  SANDBOX_TREASURY_KEY: `0x${'5a'.repeat(32)}`,
  ONRAMP_PROVIDER: 'sandbox',
}
const service = perFile(() => startWholeService({ settings }))
const asker = perFile(() => new Asker(service.port))
const a = perFile(() => makeTenant(service, asker))
const b = perFile(() => makeTenant(service, asker))
const page = perFile(async () => {
  const reply = await post(`/pay/${a.receipts.pending}/onramp?recipient=${a.wallet}`, '')
  expect(reply.status).toBe(303)
  return { path: String(reply.headers.location) }
})

const inside = /node_modules|\.ts:\d+|SELECT |at \w+ \(|sk_(live|test)_|PostgreSQL|\b22021\b/
const foreign = { ...form, 'sec-fetch-site': 'cross-site' }

function post(target: string, body: string, headers: Record<string, string> = form): Promise<Reply> {
  return asker.ask({ method: 'POST', target, body, headers })
}
const get = (target: string) => asker.ask({ method: 'GET', target, body: undefined, headers: {} })

async function countAll(): Promise<{ sessions: number; payments: number }> {
  const count = async (text: string) =>
    Number((await service.context.db.row<{ n: bigint }>({ name: '', text }))?.n)
  return {
    sessions: await count('SELECT count(*) AS n FROM onramp_session'),
    payments: await count("SELECT count(*) AS n FROM sandbox_session WHERE state <> 'opened'"),
  }
}

describe('the pages of card payments, where the sandbox is set up,', () => {
  test('are there', () => {
    const mounted = listMountedRoutes(service.app).map(nameOfRoute)
    const pages = ['POST /pay/{id}/onramp', 'GET /sandbox/onramp/{id}', 'POST /sandbox/onramp/{id}']
    expect(mounted).toEqual(expect.arrayContaining(pages))
  })

  test('open nothing for a receipt under the wallet of another merchant, or by a form of another site', async () => {
    const before = await countAll()
    for (const id of receiptIds(a)) {
      expect((await post(`/pay/${id}/onramp?recipient=${b.wallet}`, '')).status).toBe(404)
      const { status, headers } = await post(`/pay/${id}/onramp?recipient=${a.wallet}`, '', foreign)
      expect(status).toBe(303)
      expect(headers.location).toMatch(/^\/pay\//)
    }
    expect(await countAll()).toEqual(before)
  })

  test('show what the checkout shows: nothing that only the merchant may see', async () => {
    const { status, text } = await get(page.path)
    expect(status).toBe(200)
    for (const hidden of [a.privateWord, ...a.secrets, ...service.secrets]) expect(text).not.toContain(hidden)
  })

  test('pay nothing by a form of another site, by a real number, or in a session that is not there', async () => {
    const before = await countAll()
    const body = `method=card&number=${failingCards.PORTAL_PAY_CARD_EXPIRED}`
    expect((await post(page.path, body, foreign)).status).toBe(404)
    expect((await post(page.path, 'method=card&number=5555555555554444')).status).toBe(400)
    expect((await post(page.path, 'method=bank&number=5555555555554444')).status).toBe(400)
    for (const id of [a.receipts.pending, `sbx_${'0'.repeat(26)}`, page.path.slice(-26)])
      expect((await post(`/sandbox/onramp/${id}`, body)).status).toBe(404)
    expect(await countAll()).toEqual(before)
  })

  test('answer whatever is sent without a defect, and tell nothing of the inside', async () => {
    const before = await countAll()
    const targets = [
      '/pay/*/onramp',
      '/pay/*/onramp?recipient=*',
      '/sandbox/onramp/*',
      `${page.path}?lang=*&number=*`,
    ]
    const forms = [
      ...bodies.map((body) => `method=card&number=${body}`),
      ...oddTexts.map((odd) => `number=${odd}`),
    ]
    const sent = [
      ...targets.flatMap((path) =>
        oddTexts.map((odd) => [path.replaceAll('*', encodeURI(odd)), ''] as const),
      ),
      ...[...forms, ...bodies, 'a='.repeat(20_000), 'a&'.repeat(400)].map(
        (body) => [page.path, body] as const,
      ),
    ]
    for (const [target, body] of sent)
      for (const reply of [await post(target, body), await get(target)]) {
        expect([200, 303, 400, 404, 413], `${target} ${body.slice(0, 80)}`).toContain(reply.status)
        expect(reply.text).not.toMatch(inside)
        expect(reply.text).not.toContain('DROP TABLE')
      }
    for (const type of ['application/json', 'multipart/form-data', 'text/plain'])
      expect([400, 415]).toContain((await post(page.path, '{}', { ...form, 'content-type': type })).status)
    expect(await countAll()).toEqual(before)
    expect(service.logged.filter(({ msg }) => /a (request|page) failed/.test(String(msg)))).toEqual([])
  })
})
