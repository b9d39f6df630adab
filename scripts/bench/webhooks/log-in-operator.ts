import { csrfHeaderName } from '@sluice/protocol/api/auth.ts'
import { logIn, type newWallet } from '../../../apps/server/test/support/api/sessions.ts'

/** What the requests of an operator's session carry: an operator may report on every merchant's receipts. */
export async function logInOperator(
  url: string,
  account: ReturnType<typeof newWallet>,
): Promise<Record<string, string>> {
  const { cookie, csrfToken } = await logIn({ call: (...args) => call(url, ...args) }, account)
  return { 'content-type': 'application/json', origin: url, cookie, [csrfHeaderName]: csrfToken }
}

async function call(url: string, method: string, path: string, { body }: { body?: unknown } = {}) {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) }
}
