import { describeApi } from '../../apps/server/src/app/openapi/describe-api.ts'
import { makeRoutes } from '../../apps/server/src/app/routes.ts'

/**
 * Placeholder for every dependency of the routes: each property and each return value is the same
 * placeholder. No route is called, so the values never matter.
 */
const anything: unknown = new Proxy(() => anything, {
  get: (_target, name) => (name === Symbol.toPrimitive ? () => 0 : anything),
  apply: () => anything,
})

/** Returns the OpenAPI document of the product's routes. */
export function openDocument(): object {
  const needs = [...Array(makeRoutes.length)].map(() => anything) as Parameters<typeof makeRoutes>
  return describeApi(makeRoutes(...needs), { baseUrl: 'http://127.0.0.1:8080', version: '0.0.0' })
}
