import { describeApi } from '../../apps/server/src/app/openapi/describe-api.ts'
import { makeRoutes } from '../../apps/server/src/app/routes.ts'

/**
 * Stands for whatever the list of routes needs: every property of it and every answer is again such a thing.
 * Nothing is asked of it, because no route is called.
 */
const anything: unknown = new Proxy(() => anything, {
  get: (_target, name) => (name === Symbol.toPrimitive ? () => 0 : anything),
  apply: () => anything,
})

/** The API's document over the routes of the product. */
export function openDocument(): object {
  const needs = [...Array(makeRoutes.length)].map(() => anything) as Parameters<typeof makeRoutes>
  return describeApi(makeRoutes(...needs), { baseUrl: 'http://127.0.0.1:8080', version: '0.0.0' })
}
