import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Asker } from '../support/ask.ts'
import type { BadCase, Headers } from '../support/bad-case.ts'
import { badCredentialsOf } from '../support/bad-credentials.ts'
import { badFileCases } from '../support/bad-files.ts'
import { badMeanings } from '../support/bad-meanings.ts'
import { badRequestsOf, goodRequest, type Spoiled } from '../support/bad-requests-of-route.ts'
import { judgeReply } from '../support/judge-reply.ts'
import { logIn } from '../support/log-in.ts'
import { nameOfRoute } from '../support/mounted-routes.ts'
import { samples } from '../support/route-samples.ts'
import { digestTables } from '../support/table-digest.ts'
import { apiOf, makeTenant, sessionHeaders, type Tenant } from '../support/tenant.ts'
import { startWholeService, type WholeService } from '../support/whole-service.ts'

let service: WholeService
let asker: Asker
let tenant: Tenant
let headers: Headers
let count = 0

beforeAll(async () => {
  service = await startWholeService()
  asker = new Asker(service.port)
  tenant = await makeTenant(service, asker)
  const operator = await logIn(apiOf(service, asker), service.operator)
  headers = {
    key: { 'ocp-apim-subscription-key': tenant.key },
    owner: sessionHeaders(tenant.sessions.owner),
    operator: sessionHeaders(operator),
    nobody: {},
  }
  asker.times.length = 0
})
afterAll(async () => {
  asker?.close()
  await service?.stop()
})

/** Every route with its sample, in the order in which each can be used after those before. */
function listSpoiled(): Spoiled[] {
  return Object.entries(samples).flatMap(([name, sample]) => {
    const route = service.routes.find((each) => nameOfRoute(each) === name)
    return route ? [{ route, sample, tenant, headers }] : []
  })
}

/** Sends the cases one after another and looks into the database before and after them all. */
async function refuses(name: string, cases: readonly BadCase[]): Promise<string[]> {
  const secrets = [...tenant.secrets, ...service.secrets]
  const before = await digestTables(service.world.db)
  const faults: string[] = []
  for (const { what, question, expect: right } of cases) {
    count++
    const reply = await asker.ask(question)
    const wrong = judgeReply(question, reply, right, secrets)
    if (wrong.length > 0)
      faults.push(`${name}, ${what}: the answer ${wrong.join('; ')}\n  ${reply.text.slice(0, 300)}`)
  }
  const after = await digestTables(service.world.db)
  const changed = [...after].filter(([table, digest]) => before.get(table) !== digest)
  if (changed.length > 0) faults.push(`${name}: changed ${changed.map(([table]) => table).join()}`)
  return faults
}

describe('what is wrong', () => {
  test('is tried at every endpoint under /api', () => {
    const names = service.routes.map(nameOfRoute)
    expect(
      names.filter((name) => !(name in samples)),
      'endpoints without a sample',
    ).toEqual([])
    expect(
      Object.keys(samples).filter((name) => !names.includes(name)),
      'samples without one',
    ).toEqual([])
  })

  test('in a body, an id, a query or a header is refused by its code and changes nothing', async () => {
    const faults: string[] = []
    for (const spoiled of listSpoiled()) {
      faults.push(...(await refuses(nameOfRoute(spoiled.route), badRequestsOf(spoiled))))
    }
    expect(faults).toEqual([])
  }, 120_000)

  test('in what fields mean together, in URLs, amounts, colours and files is refused by its code', async () => {
    const faults = await refuses('meaning', badMeanings(tenant, headers))
    faults.push(...(await refuses('files', badFileCases(headers))))
    expect(faults).toEqual([])
  }, 60_000)

  test('in credentials is refused by its code and changes nothing', async () => {
    const faults: string[] = []
    for (const spoiled of listSpoiled()) {
      faults.push(...(await refuses(nameOfRoute(spoiled.route), badCredentialsOf(spoiled))))
    }
    expect(faults).toEqual([])
  }, 120_000)

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
