import type { ErrorCode } from '@sluice/protocol/errors.ts'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Route } from '../../../src/access/route.ts'
import { codesOf } from '../../../src/app/openapi/describe-responses.ts'

const checks = new WeakMap<TSchema, ReturnType<typeof Compile>>()

/**
 * Returns the response if the OpenAPI document describes it: a success with its status and shape, an error
 * with its code.
 */
export function holdToDocument<ApiResponse extends { readonly status: number; readonly body: unknown }>(
  routes: readonly Route[],
  [method, path]: readonly [method: string, path: string, ...unknown[]],
  response: ApiResponse,
): ApiResponse {
  const route = findRoute(routes, method, path)
  if (!route || isOfTest(route)) return response
  const where = `${method} ${route.path} answered ${response.status}`
  if (response.status >= 400) {
    const { error: code } = response.body as { error: ErrorCode }
    if (codesOf(route).includes(code)) return response
    throw new Error(`${where} ${code}, which its document does not name`)
  }
  const schema = (route.document?.responses ?? route.responses)[response.status]
  if (!schema) throw new Error(`${where}, which its document does not name`)
  if (route.document?.responseType) return response
  const check = checks.get(schema) ?? Compile(schema)
  checks.set(schema, check)
  if (check.Check(response.body)) return response
  const errors = check.Errors(response.body).map((error) => `${error.instancePath} ${error.message}`)
  throw new Error(`${where} with a body its document does not know: ${errors.slice(0, 5).join('; ')}`)
}

function isOfTest(route: Route): boolean {
  return route.path.startsWith('/api/test/')
}

/** Finds a route as the router does: a path without parameters takes precedence. */
function findRoute(routes: readonly Route[], method: string, path: string): Route | undefined {
  const parts = (path.split('?', 1)[0] ?? '').split('/')
  const matching = routes.filter((route) => {
    const own = route.path.split('/')
    const fits = (part: string, i: number) => (part.startsWith('{') ? parts[i] !== '' : part === parts[i])
    return route.method === method && own.length === parts.length && own.every(fits)
  })
  return matching.find((route) => !route.path.includes('{')) ?? matching[0]
}
