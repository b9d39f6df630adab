import { beforeAll, describe, expect, test } from 'vitest'
import { sessionHeaders } from '../../../support/api/call-api.ts'
import { Asker } from '../../../support/api/raw-requests.ts'
import { logIn } from '../../../support/api/sessions.ts'
import { digestTables } from '../../../support/database/table-digest.ts'
import { perFile } from '../../../support/per-file.ts'
import { nameOfRoute } from '../../../support/routes/mounted-routes.ts'
import { samples } from '../../../support/routes/samples.ts'
import { apiOf, makeTenant } from '../../../support/service/tenant.ts'
import { startWholeService } from '../../../support/service/whole-service.ts'
import { type BadCase, type Headers, validateReply } from './bad-case.ts'
import { badCredentialsOf } from './credentials.ts'
import { badMeanings } from './meanings.ts'
import { badRequestsOf, goodRequest, type Spoiled } from './requests-of-route.ts'
import { badFileCases } from './shop-cases.ts'

export type BadInputs = ReturnType<typeof startBadInputs>

export function startBadInputs() {
  const service = perFile(startWholeService)
  const asker = perFile(() => new Asker(service.port))
  const tenant = perFile(() => makeTenant(service, asker))
  const headers = perFile<Headers>(async () => ({
    key: { 'ocp-apim-subscription-key': tenant.key },
    owner: sessionHeaders(tenant.sessions.owner),
    operator: sessionHeaders(await logIn(apiOf(service, asker), service.operator)),
    nobody: {},
  }))
  beforeAll(() => {
    asker.times.length = 0
  })
  return { service, asker, tenant, headers }
}

/**
 * Defines the tests that call all endpoints.
 *
 * @param draw - Selects the cases to send from all cases with one name.
 */
export function testWalk(
  context: BadInputs,
  draw: (name: string, cases: readonly BadCase[]) => readonly BadCase[],
): void {
  const { service, asker, tenant, headers } = context
  let count = 0

  async function send(name: string, cases: readonly BadCase[]): Promise<string[]> {
    const secrets = [...tenant.secrets, ...service.secrets]
    const errors: string[] = []
    for (const { what, question, expect } of cases) {
      count++
      const reply = await asker.ask(question)
      const wrong = validateReply(question, reply, expect, secrets)
      if (wrong.length > 0)
        errors.push(`${name}, ${what}: the answer ${wrong.join('; ')}\n  ${reply.text.slice(0, 300)}`)
    }
    return errors
  }

  /** Sends each group of cases, and compares the database after at least 50 requests. */
  async function sendAll(groups: Iterable<readonly [name: string, cases: readonly BadCase[]]>) {
    const errors: string[] = []
    let sent: string[] = []
    let compared = count
    // The clock does not move and no job writes, so only a request can change the database.
    let before = await digestTables(service.context.db)
    const compare = async () => {
      const after = await digestTables(service.context.db)
      const changed = [...after].filter(([table, digest]) => before.get(table) !== digest)
      if (changed.length > 0)
        errors.push(`changed ${changed.map(([table]) => table).join()} in one of ${sent.join()}`)
      ;[before, sent, compared] = [after, [], count]
    }
    for (const [name, cases] of groups) {
      errors.push(...(await send(name, draw(name, cases))))
      sent.push(name)
      if (count - compared >= 50) await compare()
    }
    await compare()
    return errors
  }

  function* casesOfRoutes(casesOf: (spoiled: Spoiled) => BadCase[]) {
    for (const spoiled of listSpoiled(context)) yield [nameOfRoute(spoiled.route), casesOf(spoiled)] as const
  }

  describe('what is wrong', () => {
    test('in a body, an id, a query or a header is refused by its code and changes nothing', async () => {
      expect(await sendAll(casesOfRoutes(badRequestsOf))).toEqual([])
    })

    test('in what fields mean together, in URLs, amounts, colours and files is refused by its code', async () => {
      const groups = [
        ['meaning', badMeanings(tenant, headers)],
        ['files', badFileCases(headers)],
      ] as const
      expect(await sendAll(groups)).toEqual([])
    })

    test('in credentials is refused by its code and changes nothing', async () => {
      expect(await sendAll(casesOfRoutes(badCredentialsOf))).toEqual([])
    })

    test('is no defect of the service', () => {
      expect(count).toBeGreaterThan(400)
      expect(service.logged.filter(({ level }) => Number(level) >= 50)).toEqual([])
    })
  })

  describe('what is right', () => {
    test('is taken: a sample that was spoiled was refused for that alone', async () => {
      const errors: string[] = []
      for (const spoiled of listSpoiled(context)) {
        const { sample, route } = spoiled
        for (const as of sample.as) {
          if (sample.comesTo === 'never') continue
          const reply = await asker.ask(goodRequest(spoiled, as, `${as}-1`))
          if (reply.status !== sample.comesTo)
            errors.push(`${nameOfRoute(route)} as ${as}: ${reply.status} ${reply.text.slice(0, 300)}`)
        }
      }
      expect(errors).toEqual([])
    })
  })
}

function listSpoiled({ service, tenant, headers }: BadInputs): Spoiled[] {
  return Object.entries(samples).flatMap(([name, sample]) => {
    const route = service.routes.find((each) => nameOfRoute(each) === name)
    return route ? [{ route, sample, tenant, headers }] : []
  })
}
