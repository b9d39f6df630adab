import type { FastifyInstance } from 'fastify'

/** An endpoint as the server has it. */
export type MountedRoute = {
  readonly method: string
  /** With `{name}` for parameters. */
  readonly path: string
}

/** Every endpoint the server answers at: the API, probes, pages, documents. Read from the router's own tree. */
export function listMountedRoutes(app: FastifyInstance): MountedRoute[] {
  const above: string[] = []
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const match = /^((?:[│ ] {3})*)[├└]── (\S*) \(([A-Z, ]+)\)$/.exec(line)
      if (!match) {
        if (line.trim() !== '') throw new Error(`the router prints its routes otherwise: ${line}`)
        return []
      }
      const [, indent = '', part = '', methods = ''] = match
      above.length = indent.length / 4
      above.push(part)
      const path = above.join('').replace(/:(\w+)/g, '{$1}')
      return methods.split(', ').map((method) => ({ method, path }))
    })
}

/** `POST /api/receipts`: what names an endpoint in tables. */
export function nameOfRoute({ method, path }: MountedRoute): string {
  return `${method} ${path}`
}
