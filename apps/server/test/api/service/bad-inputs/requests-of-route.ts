import type { Route } from '../../../../src/access/route.ts'
import { defaultBodyLimit } from '../../../../src/app/http/serve-route.ts'
import type { Credential, Sample } from '../../../support/routes/route-sample.ts'
import type { Tenant } from '../../../support/service/tenant.ts'
import { type BadCase, type Headers, invalid, notFound } from './bad-case.ts'
import { type BadBody, brokenJson, dropFields, setIn, spoilFields } from './bodies.ts'
import { brokenIds, oddIds } from './hostile-texts.ts'

export type Spoiled = {
  readonly route: Route
  readonly sample: Sample
  readonly tenant: Tenant
  readonly headers: Headers
}

/** For every credential after the first, only one in this many cases is sent. */
const thinning = 6

/**
 * Returns bad bodies, ids and queries for a route: all of them with its first credential, some with the
 * others.
 */
export function badRequestsOf(spoiled: Spoiled): BadCase[] {
  const { sample, route } = spoiled
  const kinds = [badBodiesOf, badTypesOf, badIdsOf, badQueriesOf, badIdempotencyKeysOf]
  return sample.as.flatMap((as, i) => {
    const cases = kinds.flatMap((casesOf) => casesOf(spoiled, as))
    const chosen = i === 0 ? cases : cases.filter((_, n) => n % thinning === i)
    return route.intake?.refuseAll ? chosen.map((each) => ({ ...each, expect: ['410 deprecated'] })) : chosen
  })
}

export function goodRequest({ route, sample, tenant, headers }: Spoiled, as: Credential, fresh = 'x') {
  const body = sample.body?.(tenant, fresh)
  return {
    method: route.method,
    target: sample.target(tenant),
    headers: {
      ...headers[as],
      ...(body !== undefined && { 'content-type': sample.contentType ?? 'application/json' }),
    },
    body: typeof body === 'object' ? JSON.stringify(body) : body,
  }
}

function badBodiesOf(spoiled: Spoiled, as: Credential): BadCase[] {
  const { route, sample, tenant } = spoiled
  const good = sample.body?.(tenant, 'x')
  if (!route.body || typeof good !== 'object') return []
  const question = goodRequest(spoiled, as)
  const { codes = {} } = sample
  const ownCodes = Object.values(codes).map(({ code }) => `400 ${code}`)
  const isOwn = ({ what }: BadBody) => Object.keys(codes).some((path) => what.startsWith(`${path} `))
  const bodies = [
    ...spoilFields(route.body, good),
    ...(sample.hasOptionalBody ? [] : dropFields(route.body, good)),
    ...brokenJson(good, route.intake?.limit ?? defaultBodyLimit),
  ]
  return [
    ...bodies.map((bad) => ({
      what: `the body: ${bad.what}`,
      question: { ...question, body: bad.body },
      expect: isOwn(bad) ? [...invalid, ...ownCodes] : invalid,
    })),
    ...Object.entries(codes).flatMap(([path, { code, values }]) =>
      values.map((value, i) => ({
        what: `${path} has an error of its own (${i}: ${JSON.stringify(value)?.slice(0, 40)})`,
        question: { ...question, body: JSON.stringify(setIn(good, path.split('/'), value)) },
        expect: [`400 ${code}`],
      })),
    ),
  ]
}

const wrongTypes = [
  ['text/plain', 'text/html', 'application/xml', 'application/jsonx', 'application/octet-stream'],
  ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'multipart/form-data'],
  ['image/png', 'json', '*/*', ';'],
].flat()

function badTypesOf(spoiled: Spoiled, as: Credential): BadCase[] {
  const { route, sample } = spoiled
  if (!route.body) return []
  const question = goodRequest(spoiled, as)
  const other = sample.contentType === 'text/csv' ? 'application/json' : 'text/csv'
  const { 'content-type': _, ...untyped } = question.headers as Record<string, string>
  return [
    ...[...wrongTypes, other].map((type) => ({
      what: `the content type ${type}`,
      question: { ...question, headers: { ...untyped, 'content-type': type } },
      expect: invalid,
    })),
    ...(route.intake?.respondEarly
      ? []
      : [{ what: 'no content type', question: { ...question, headers: untyped }, expect: invalid }]),
    ...['gzip', 'br', 'deflate', 'x-nonsense', 'gzip, identity'].map((coding) => ({
      what: `the content encoding ${coding}`,
      question: { ...question, headers: { ...question.headers, 'content-encoding': coding } },
      expect: invalid,
    })),
  ]
}

function badIdsOf(spoiled: Spoiled, as: Credential): BadCase[] {
  const { sample } = spoiled
  const { withId } = sample
  if (!withId) return []
  const question = goodRequest(spoiled, as)
  const isInPath = !withId('x').includes('?')
  return [...oddIds, ...brokenIds].map((id) => ({
    what: `the id ${id.slice(0, 40)}`,
    question: { ...question, target: withId(id) },
    expect: isInPath ? [...notFound, ...invalid] : [...notFound, ...invalid, '400 missing_receipt_id'],
  }))
}

function badQueriesOf(spoiled: Spoiled, as: Credential): BadCase[] {
  const { route, sample } = spoiled
  const question = goodRequest(spoiled, as)
  const add = (query: string) => `${question.target}${question.target.includes('?') ? '&' : '?'}${query}`
  const known = Object.keys((route.query as { properties?: object } | undefined)?.properties ?? {})
  const values = Object.entries(sample.query ?? {}).flatMap(([name, wrong]) =>
    wrong.map((value) => `${name}=${value}`),
  )
  const anywhere = [
    ...known.map((name) => `${name}=1&${name}=1`),
    ...['x=1&x=2', 'nonsense=1', `${'n'.repeat(3_000)}=1`, '__proto__=1', 'constructor=1'],
    ...['x=%00', 'x=a%00b', `x=${'%00'.repeat(50)}`],
  ]
  return [...values, ...anywhere].map((query) => ({
    what: `the query ${query.slice(0, 60)}`,
    question: { ...question, target: add(query) },
    expect: invalid,
  }))
}

function badIdempotencyKeysOf(spoiled: Spoiled, as: Credential): BadCase[] {
  if (spoiled.route.method !== 'POST') return []
  const question = goodRequest(spoiled, as)
  return ['', ' ', 'a b', 'ä', 'a\tb', 'x'.repeat(256), ['a', 'b']].map((key) => ({
    what: `the Idempotency-Key ${JSON.stringify(key).slice(0, 40)}`,
    question: { ...question, headers: { ...question.headers, 'idempotency-key': key } },
    expect: invalid,
  }))
}
