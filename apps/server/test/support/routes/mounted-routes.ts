import type { FastifyInstance } from 'fastify'

export type MountedRoute = {
  readonly method: string
  readonly path: string
}

/** Lists all endpoints from the router's tree: API, probes, pages, documents. */
export function listMountedRoutes(app: FastifyInstance): MountedRoute[] {
  const above: string[] = []
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const match = /^((?:[│ ] {3})*)[├└]── (\S*) \(([A-Z, ]+)\)$/.exec(line)
      if (!match) {
        if (line.trim() !== '') throw new Error(`unknown format of the router's tree: ${line}`)
        return []
      }
      const [, indent = '', part = '', methods = ''] = match
      above.length = indent.length / 4
      above.push(part)
      const path = above.join('').replace(/:(\w+)/g, '{$1}')
      // The GET handler also serves HEAD.
      return methods.split(', ').flatMap((method) => (method === 'HEAD' ? [] : [{ method, path }]))
    })
}

export function nameOfRoute({ method, path }: MountedRoute): string {
  return `${method} ${path}`
}
