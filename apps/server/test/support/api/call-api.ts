import { registerSecretsIn } from '../secrets/secret-register.ts'

/** What an answer came to. */
export type Answer = {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  readonly body: any
  readonly text: string
}

/** What a request carries. A session's cookie goes with its CSRF token and the origin of our pages. */
export type CallOptions = {
  readonly key?: string | undefined
  readonly session?: { readonly cookie: string; readonly csrfToken: string } | undefined
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

/** Sends a request to one API; `body` as JSON, or unchanged if it is a text. */
export type Call = (method: string, path: string, options?: CallOptions) => Promise<Answer>

/** The address of the API's pages. */
export const testBaseUrl = 'https://pay.example.com'

/** Sends a request to the API at `url`, as {@link TestApi.call} does to its own. */
export async function callApi(
  url: string,
  method: string,
  path: string,
  { key, session, body, headers }: CallOptions = {},
): Promise<Answer> {
  const answer = await fetch(url + path, {
    method,
    headers: {
      ...(key !== undefined && { 'ocp-apim-subscription-key': key }),
      ...(session && sessionHeaders(session)),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  registerSecretsIn(text, answer.headers.get('set-cookie'))
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    body: text ? JSON.parse(text) : undefined,
  }
}

/** The headers of a browser that is logged in. */
export function sessionHeaders(session: NonNullable<CallOptions['session']>): Record<string, string> {
  return { cookie: session.cookie, 'x-csrf-token': session.csrfToken, origin: testBaseUrl }
}

/** The bodies of all pages of a list; `ask` is given what to put behind its query to have the next one. */
export async function followPages(
  ask: (more: string) => Promise<Pick<Answer, 'body'>>,
): Promise<Answer['body'][]> {
  const pages: Answer['body'][] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await ask(cursor && `&cursor=${cursor}`)
    pages.push(body)
    cursor = body.nextCursor
  }
  return pages
}
