import { beforeAll, describe, expect, test } from 'vitest'
import { sessionHeaders } from '../../support/api/call-api.ts'
import { Asker } from '../../support/api/raw-requests.ts'
import { receiptBody } from '../../support/api/receipts.ts'
import { logIn } from '../../support/api/sessions.ts'
import type { BadCase, Headers } from '../../support/bad-inputs/bad-case.ts'
import { badRequestsOf, goodRequest, type Spoiled } from '../../support/bad-inputs/bad-requests-of-route.ts'
import { badCredentialsOf } from '../../support/bad-inputs/credentials.ts'
import { badFileCases } from '../../support/bad-inputs/files.ts'
import { oddAndAllowed } from '../../support/bad-inputs/hostile-texts.ts'
import { judgeReply } from '../../support/bad-inputs/judge-reply.ts'
import { badMeanings } from '../../support/bad-inputs/meanings.ts'
import { type Digest, digestTables } from '../../support/database/table-digest.ts'
import { perFile } from '../../support/per-file.ts'
import { nameOfRoute } from '../../support/routes/mounted-routes.ts'
import { samples } from '../../support/routes/samples.ts'
import { apiOf, makeTenant } from '../../support/service/tenant.ts'
import { startWholeService } from '../../support/service/whole-service.ts'

const service = perFile(startWholeService)
const asker = perFile(() => new Asker(service.port))
const tenant = perFile(() => makeTenant(service, asker))
const headers = perFile<Headers>(async () => ({
  key: { 'ocp-apim-subscription-key': tenant.key },
  owner: sessionHeaders(tenant.sessions.owner),
  operator: sessionHeaders(await logIn(apiOf(service, asker), service.operator)),
  nobody: {},
}))
let count = 0
beforeAll(() => {
  asker.times.length = 0
})

/** Every route with its sample, in the order in which each can be used after those before. */
function listSpoiled(): Spoiled[] {
  return Object.entries(samples).flatMap(([name, sample]) => {
    const route = service.routes.find((each) => nameOfRoute(each) === name)
    return route ? [{ route, sample, tenant, headers }] : []
  })
}

/**
 * Sends the cases one after another and looks into the database before and after them all.
 *
 * @param before - What was in the database, where somebody has just looked.
 */
async function refuses(
  name: string,
  cases: readonly BadCase[],
  before: Digest | Promise<Digest> = digestTables(service.world.db),
): Promise<{ readonly faults: string[]; readonly after: Digest }> {
  const secrets = [...tenant.secrets, ...service.secrets]
  const known = await before
  const faults: string[] = []
  for (const { what, question, expect: right } of cases) {
    count++
    const reply = await asker.ask(question)
    const wrong = judgeReply(question, reply, right, secrets)
    if (wrong.length > 0)
      faults.push(`${name}, ${what}: the answer ${wrong.join('; ')}\n  ${reply.text.slice(0, 300)}`)
  }
  const after = await digestTables(service.world.db)
  const changed = [...after].filter(([table, digest]) => known.get(table) !== digest)
  if (changed.length > 0) faults.push(`${name}: changed ${changed.map(([table]) => table).join()}`)
  return { faults, after }
}

async function refusesEverywhere(casesOf: (spoiled: Spoiled) => BadCase[]): Promise<string[]> {
  const faults: string[] = []
  // What is there after one endpoint is what is there before the next: the clock stands still, and no job writes.
  let before = await digestTables(service.world.db)
  for (const spoiled of listSpoiled()) {
    const refused = await refuses(nameOfRoute(spoiled.route), casesOf(spoiled), before)
    faults.push(...refused.faults)
    before = refused.after
  }
  return faults
}

describe('what is wrong', () => {
  test('is tried at every endpoint under /api', () => {
    const names = service.routes.map(nameOfRoute)
    expect(Object.keys(samples).toSorted()).toEqual(names.toSorted())
  })

  test('in a body, an id, a query or a header is refused by its code and changes nothing', async () => {
    expect(await refusesEverywhere(badRequestsOf)).toEqual([])
  })

  test('in what fields mean together, in URLs, amounts, colours and files is refused by its code', async () => {
    const meanings = await refuses('meaning', badMeanings(tenant, headers))
    const files = await refuses('files', badFileCases(headers), meanings.after)
    expect([...meanings.faults, ...files.faults]).toEqual([])
  })

  test('in credentials is refused by its code and changes nothing', async () => {
    expect(await refusesEverywhere(badCredentialsOf)).toEqual([])
  })

  test('is answered in 250 ms by all but one in a hundred', () => {
    const p99 = asker.percentile(0.99)
    console.log(
      `bad inputs: ${count} requests, p99 ${p99.toFixed(1)} ms, slowest ${asker.percentile(1).toFixed(1)} ms`,
    )
    expect(count).toBeGreaterThan(400)
    expect(p99).toBeLessThanOrEqual(250)
    expect(service.logged.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })
})

describe('what is odd and allowed', () => {
  const json = () => ({ ...headers.key, 'content-type': 'application/json' })

  test('is given back as it came, and stands in no page or header as anything but text', async () => {
    for (const [i, text] of oddAndAllowed.entries()) {
      const id = `odd-${i}`
      const body = {
        ...receiptBody(id, 5, { lineItems: [{ label: text, priceUsd: 5 }] }),
        billingFirstName: text,
        transactionId: text,
        onSuccess: text,
        metadata: { note: text, ...(text === '__proto__' ? {} : { [text]: text }) },
      }
      const sent = { headers: json(), body: JSON.stringify(body) }
      const made = await asker.ask({ method: 'POST', target: '/api/receipts', ...sent })
      expect(made.status, made.text).toBe(201)
      const read = await asker.ask({ method: 'GET', target: `/api/receipts/${id}`, headers: headers.key })
      const detail = JSON.parse(read.text)
      expect(detail.lineItems[0].label).toBe(text)
      expect(detail.metadata).toEqual(body.metadata)
      expect(detail.transactionId).toBe(text)
      const target = `/pay/${id}?recipient=${tenant.wallet}`
      const page = await asker.ask({ method: 'GET', target })
      expect(page.status).toBe(200)
      for (const markup of ['<script>alert', '<img src=x', '<svg onload', "' onmouseover='", '<!--<script'])
        expect(page.text, text).not.toContain(markup)
      expect(page.headers['content-security-policy']).toMatch(/script-src [^;]*'nonce-/)
      expect(JSON.stringify(page.headers)).not.toContain(text.slice(0, 12))
    }
  })

  test('leaves the catalogue and the file of products what they are', async () => {
    for (const [i, name] of oddAndAllowed.entries()) {
      const body = JSON.stringify({ sku: `odd-${i}`, name, description: name, priceUsd: 1, category: name })
      const put = await asker.ask({ method: 'POST', target: '/api/inventory', headers: json(), body })
      expect([200, 201, 400], put.text).toContain(put.status)
      if (put.status === 400) continue
      const { item } = JSON.parse(put.text)
      expect([item.name, item.category]).toEqual([name, name])
      const target = `/api/inventory?q=${encodeURIComponent(name)}&category=${encodeURIComponent(name)}`
      const found = JSON.parse((await asker.ask({ method: 'GET', target, headers: headers.key })).text)
      expect(found.items.map(({ sku }: { sku: string }) => sku)).toEqual([`odd-${i}`])
    }
    const all = { method: 'GET', target: '/api/inventory/export', headers: headers.key }
    const file = (await asker.ask(all)).text
    const again = { headers: { 'content-type': 'text/csv', ...headers.key }, body: file }
    const put = await asker.ask({ method: 'POST', target: '/api/inventory/import', ...again })
    expect(put.status, put.text).toBe(200)
    expect((await asker.ask(all)).text).toBe(file)
  })
})

describe('what is right', () => {
  test('is taken: a sample that was spoiled was refused for that alone', async () => {
    const faults: string[] = []
    for (const spoiled of listSpoiled()) {
      const { sample, route } = spoiled
      for (const as of sample.as) {
        if (sample.comesTo === 'never') continue
        const reply = await asker.ask(goodRequest(spoiled, as, `${as}-1`))
        if (reply.status !== sample.comesTo)
          faults.push(`${nameOfRoute(route)} as ${as}: ${reply.status} ${reply.text.slice(0, 300)}`)
      }
    }
    expect(faults).toEqual([])
  })
})
