import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { LocalService } from '../service/local-service.ts'

/** A service, and who its merchant is. */
type Merchant = Pick<LocalService, 'baseUrl' | 'merchant'>

/** The demo merchant's session outside the browser: to bring about what a screen then shows. */
export class OwnerApi {
  readonly #service: Merchant
  #headers: Readonly<Record<string, string>> = {}

  private constructor(service: Merchant) {
    this.#service = service
  }

  /** Logs in by the API. */
  static async logIn(service: Merchant, privateKey = service.merchant.privateKey): Promise<OwnerApi> {
    const api = new OwnerApi(service)
    const account = privateKeyToAccount(privateKey)
    const { address } = account
    const { typedData } = await api.send('POST', '/api/auth/challenge', { address })
    const { EIP712Domain: _, ...types } = typedData.types
    const signature = await account.signTypedData({ ...typedData, types })
    const body = { address, signature, nonce: typedData.message.nonce }
    const answer = await fetch(`${service.baseUrl}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const { csrfToken } = (await answer.json()) as { csrfToken: string }
    const cookie = answer.headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ')
    api.#headers = { cookie, 'x-csrf-token': csrfToken, origin: service.baseUrl }
    return api
  }

  /** What a browser sends to be in the session: `name=value`, joined by semicolons. */
  get cookie(): string {
    return this.#headers.cookie ?? ''
  }

  /** Sends a request in the session; throws where the answer is not a good one. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into what they asked for
  async send(method: string, path: string, body?: unknown): Promise<any> {
    const answer = await fetch(this.#service.baseUrl + path, {
      method,
      headers: { ...this.#headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
}

/** Makes somebody a member of the demo merchant; gives the key of the new wallet. */
export async function addMember(owner: OwnerApi, role: string): Promise<Hex> {
  const privateKey = generatePrivateKey()
  await owner.send('POST', '/api/members', { wallet: privateKeyToAccount(privateKey).address, role })
  return privateKey
}
