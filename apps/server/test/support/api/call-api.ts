import { registerSecretsIn } from '../secrets/secret-register.ts'

export type ApiResponse = {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of the response
  readonly body: any
  readonly text: string
}

/** Content of a request. A session is sent with its CSRF token and the origin of our pages. */
export type CallOptions = {
  readonly key?: string | undefined
  readonly session?: { readonly cookie: string; readonly csrfToken: string } | undefined
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

export type Call = (method: string, path: string, options?: CallOptions) => Promise<ApiResponse>

export const testBaseUrl = 'https://pay.example.com'

export async function callApi(
  url: string,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<ApiResponse> {
  const response = await fetch(url + path, { method, ...messageOf(options) })
  const text = await response.text()
  registerSecretsIn(text, response.headers.get('set-cookie'))
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text ? JSON.parse(text) : undefined,
  }
}

export function messageOf({ key, session, body, headers }: CallOptions) {
  return {
    headers: {
      ...(key !== undefined && { 'ocp-apim-subscription-key': key }),
      ...(session && sessionHeaders(session)),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  }
}

export function sessionHeaders(session: NonNullable<CallOptions['session']>): Record<string, string> {
  return { cookie: session.cookie, 'x-csrf-token': session.csrfToken, origin: testBaseUrl }
}

/** Returns the bodies of all pages of a list. `ask` appends its argument to the query. */
export async function followPages(
  ask: (more: string) => Promise<Pick<ApiResponse, 'body'>>,
): Promise<ApiResponse['body'][]> {
  const pages: ApiResponse['body'][] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await ask(cursor && `&cursor=${cursor}`)
    pages.push(body)
    cursor = body.nextCursor
  }
  return pages
}
