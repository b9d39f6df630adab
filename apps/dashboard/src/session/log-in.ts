import { ApiError } from '../api/api-error.ts'
import { api, contentOf } from '../api/client.ts'
import type { operations } from '../api/schema.d.ts'
import type { Provider } from '../wallet/provider.ts'

export type Session = operations['getAuthSession']['responses'][200]['content']['application/json']

export class WrongWallet extends Error {
  readonly expected: string

  constructor(expected: string) {
    super(`the account ${expected} has to sign`)
    this.name = 'WrongWallet'
    this.expected = expected
  }
}

export class NoRole extends Error {
  readonly wallet: string

  constructor(wallet: string) {
    super(`the account ${wallet} has no role`)
    this.name = 'NoRole'
    this.wallet = wallet
  }
}

export class InvitationRefused extends Error {
  readonly reason: string
  readonly wallet: string

  constructor(reason: string, wallet: string) {
    super(`the invitation was refused: ${reason}`)
    this.name = 'InvitationRefused'
    this.reason = reason
    this.wallet = wallet
  }
}

export type LoginWish = {
  /**
   * Merchant to act for. The default is the wallet's own merchant, or else the first merchant of which it is
   * a member.
   */
  readonly merchantWallet?: string | null
  /** Token of an invitation through which the wallet becomes a member. */
  readonly invitation?: string
  /** The only wallet that may sign. */
  readonly wallet?: string
}

/**
 * Opens a session: the wallet signs a challenge from the service.
 *
 * @throws {WrongWallet} if the wallet uses another account.
 * @throws {NoRole} if the account may not sign in.
 * @throws {InvitationRefused} if the invitation is not valid for the account.
 * @throws {ApiError} for other error responses. Rethrows errors of the wallet.
 */
export async function logIn(provider: Provider, wish: LoginWish = {}): Promise<Session> {
  const accounts = (await provider.request({ method: 'eth_requestAccounts' })) as readonly string[]
  const address = accounts[0]
  if (!address) throw Object.assign(new Error('no account was chosen'), { code: 4001 })
  if (wish.wallet && wish.wallet.toLowerCase() !== address.toLowerCase()) throw new WrongWallet(wish.wallet)
  const challenge = await contentOf(api.POST('/api/auth/challenge', { body: { address } }))
  const { typedData } = challenge
  const signature = (await provider.request({
    method: 'eth_signTypedData_v4',
    params: [address, JSON.stringify(typedData)],
  })) as string
  const { merchantWallet, invitation } = wish
  const wanted = { ...(merchantWallet && { merchantWallet }), ...(invitation && { invitation }) }
  const body = { address, signature, nonce: typedData.message.nonce, ...wanted }
  try {
    return await contentOf(api.POST('/api/auth/login', { body }))
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 403) throw error
    throw invitation && error.reason ? new InvitationRefused(error.reason, address) : new NoRole(address)
  }
}
