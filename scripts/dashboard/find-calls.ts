/** Where the web app calls an endpoint. */
export type Call = { readonly endpoint: string; readonly file: string }

/** The calls of a file of the web app: `api.POST('/api/members'` is one of `POST /api/members`. */
export function findCalls(file: string, text: string): Call[] {
  return [...text.matchAll(/\bapi\.(GET|POST|PATCH|DELETE)\(\s*'([^']+)'/g)].map(([, method, path]) => ({
    endpoint: `${method} ${path}`,
    file,
  }))
}

/** The addresses of the screens in a file of routes, by the file of the screen. */
export function findScreens(text: string): ReadonlyMap<string, string> {
  const routes = text.split('createRoute(').slice(1)
  const found = routes.flatMap((route): [string, string][] => {
    const path = /path: '([^']+)'/.exec(route)?.[1]
    const file = /import\('\.\.\/(screens\/[^']+)'\)/.exec(route)?.[1]
    return path && file ? [[file, `/app${path}`]] : []
  })
  return new Map(found)
}

/** Where the calls of a file are seen: the shortest address of its screen's folder, or the part of the app. */
export function placeOf(file: string, screens: ReadonlyMap<string, string>): string {
  const own = screens.get(file)
  if (own) return own
  const folder = /^screens\/[^/]+\//.exec(file)?.[0]
  const near = [...screens].filter(([screen]) => folder !== undefined && screen.startsWith(folder))
  const [shortest] = near.map(([, address]) => address).sort((a, b) => a.length - b.length)
  if (shortest) return shortest
  return file.startsWith('session/') ? 'sign in' : 'every screen'
}
