import { api, contentOf } from '../api/client.ts'
import type { operations } from '../api/schema.d.ts'
import type { Provider } from '../wallet/provider.ts'

/** Who is signed in, for which merchant, and with which role. */
export type Session = operations['getAuthSession']['responses'][200]['content']['application/json']

/**
 * Asks the wallet for its account and for a signature of the service's challenge, and opens a session.
 *
 * @throws {ApiError} where the service refuses; else what the wallet threw.
 */
export async function logIn(provider: Provider): Promise<Session> {
  const accounts = (await provider.request({ method: 'eth_requestAccounts' })) as readonly string[]
  const address = accounts[0]
  if (!address) throw Object.assign(new Error('no account was chosen'), { code: 4001 })
  const challenge = await contentOf(api.POST('/api/auth/challenge', { body: { address } }))
  const { typedData } = challenge
  const signature = (await provider.request({
    method: 'eth_signTypedData_v4',
    params: [address, JSON.stringify(typedData)],
  })) as string
  const body = { address, signature, nonce: typedData.message.nonce }
  return contentOf(api.POST('/api/auth/login', { body }))
}
