import { join } from 'node:path'
import type { Route } from '../../apps/server/src/access/route.ts'
import { describeApi } from '../../apps/server/src/app/openapi/describe-api.ts'
import { listFiles, repositoryRoot } from '../source/list-files.ts'

/**
 * Stands for whatever a list of routes needs: every property of it and every answer is again such a thing.
 * Nothing is asked of it, because no route is called.
 */
const anything: unknown = new Proxy(() => anything, {
  get: (_target, name) => (name === Symbol.toPrimitive ? () => 0 : anything),
  apply: () => anything,
})

/** The API's document over the routes of every `routes.ts` and `…-routes.ts` of the server. */
export async function openDocument(): Promise<object> {
  const server = join(repositoryRoot, 'apps/server/src')
  const routes: Route[] = []
  for (const path of listFiles(server, ['routes.ts'])) {
    const module = (await import(join(server, path))) as Record<string, unknown>
    for (const [name, value] of Object.entries(module)) {
      if (name.endsWith('Routes') && typeof value === 'function') routes.push(...value(anything))
    }
  }
  return describeApi(routes, { baseUrl: 'http://127.0.0.1:8080', version: '0.0.0' })
}
