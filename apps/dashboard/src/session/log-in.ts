import { ApiError } from '../api/api-error.ts'
import { api, contentOf } from '../api/client.ts'
import type { operations } from '../api/schema.d.ts'
import type { Provider } from '../wallet/provider.ts'

/** Who is signed in, for which merchant, and with which role. */
export type Session = operations['getAuthSession']['responses'][200]['content']['application/json']

/** The wallet shows another account than the one that has to sign. */
export class WrongWallet extends Error {
  readonly expected: string

  constructor(expected: string) {
    super(`the account ${expected} has to sign`)
    this.name = 'WrongWallet'
    this.expected = expected
  }
}

/** The account that signed is nobody's member here. */
export class NoRole extends Error {
  readonly wallet: string

  constructor(wallet: string) {
    super(`the account ${wallet} has no role`)
    this.name = 'NoRole'
    this.wallet = wallet
  }
}

/**
 * Asks the wallet for its account and for a signature of the service's challenge, and opens a session.
 *
 * @param again the session to log in for once more: the same wallet, for the same merchant.
 * @throws {WrongWallet} where another account would sign; {NoRole} where it may not enter; {ApiError} where the service refuses; else what the wallet threw.
 */
export async function logIn(provider: Provider, again?: Session): Promise<Session> {
  const accounts = (await provider.request({ method: 'eth_requestAccounts' })) as readonly string[]
  const address = accounts[0]
  if (!address) throw Object.assign(new Error('no account was chosen'), { code: 4001 })
  if (again && again.wallet.toLowerCase() !== address.toLowerCase()) throw new WrongWallet(again.wallet)
  const challenge = await contentOf(api.POST('/api/auth/challenge', { body: { address } }))
  const { typedData } = challenge
  const signature = (await provider.request({
    method: 'eth_signTypedData_v4',
    params: [address, JSON.stringify(typedData)],
  })) as string
  const merchantWallet = again?.merchantWallet
  const nonce = typedData.message.nonce
  const body = { address, signature, nonce, ...(merchantWallet && { merchantWallet }) }
  try {
    return await contentOf(api.POST('/api/auth/login', { body }))
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) throw new NoRole(address)
    throw error
  }
}
