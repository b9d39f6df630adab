import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { TestWallet } from '../chain/test-wallet.ts'
import type { LocalService } from '../service/local-service.ts'
import type { TestBrowser } from './browser.ts'
import { type BuyerOptions, type BuyerPage, openAsBuyer } from './checkout-browser.ts'

type Service = Pick<LocalService, 'baseUrl' | 'merchant'>

type SignedInPage = BuyerPage & {
  readonly wallet: TestWallet
  ask(method: string, path: string, body?: unknown): Promise<ApiResponse>
}

// biome-ignore lint/suspicious/noExplicitAny: tests read any field of the response
type ApiResponse = { readonly status: number; readonly body: any }

type SignedInOptions = BuyerOptions & {
  /** Private key of the signer. Default: the demo merchant's. */
  readonly as?: Hex
  readonly chainId?: number
  readonly knows?: readonly number[]
}

export async function openSignedIn(
  browser: TestBrowser,
  { baseUrl, rpcUrl, merchant }: Service & Pick<LocalService, 'rpcUrl'>,
  path: string,
  { as = merchant.privateKey, chainId = 31337, knows = [], ...options }: SignedInOptions = {},
): Promise<SignedInPage> {
  const wallet = new TestWallet({ name: 'Merchant Wallet', privateKey: as, rpcUrl, chainId, knows })
  const url = `${baseUrl}/app${path}`
  // The first request builds the app, which takes longer than the timeout for opening a page.
  await fetch(url)
  const opened = await openAsBuyer(browser, url, { ...options, wallets: [wallet] })
  const { page, problems } = opened
  await page.getByRole('button', { name: 'Sign in with Merchant Wallet' }).click()
  await page.locator('main#content').waitFor()
  // The page requested the session before sign-in, which returned 401.
  problems.splice(0, problems.length, ...problems.filter((problem) => !problem.includes('401')))
  const ask = (method: string, path: string, body: unknown = {}) =>
    page.evaluate<ApiResponse>(`(async () => {
      const { method, path, body } = ${JSON.stringify({ method, path, body })}
      const { csrfToken } = await (await fetch('/api/auth/session')).json()
      const headers = { 'content-type': 'application/json', 'x-csrf-token': csrfToken }
      const init = method === 'GET' ? {} : { method, headers, body: JSON.stringify(body) }
      const response = await fetch(path, init)
      return { status: response.status, body: await response.json().catch(() => null) }
    })()`)
  return { ...opened, wallet, ask }
}

export type OwnerApi = Awaited<ReturnType<typeof logInOwner>>

export async function logInOwner({ baseUrl, merchant }: Service, privateKey = merchant.privateKey) {
  let session: Readonly<Record<string, string>> = {}
  const request = (method: string, path: string, body?: unknown) => {
    const headers = { ...session, ...(body !== undefined && { 'content-type': 'application/json' }) }
    return fetch(baseUrl + path, { method, headers, body: JSON.stringify(body) ?? null })
  }
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of the response
  const send = async (method: string, path: string, body?: unknown): Promise<any> => {
    const response = await request(method, path, body)
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  const account = privateKeyToAccount(privateKey)
  const { address } = account
  const { typedData } = await send('POST', '/api/auth/challenge', { address })
  const signature = await account.signTypedData(typedData)
  const login = { address, signature, nonce: typedData.message.nonce }
  const response = await request('POST', '/api/auth/login', login)
  const { csrfToken } = (await response.json()) as { csrfToken: string }
  const cookies = response.headers.getSetCookie().map((each) => each.split(';')[0])
  const cookie = cookies.join('; ')
  session = { cookie, 'x-csrf-token': csrfToken, origin: baseUrl }
  return {
    cookie,
    /** Sends a request in the session. Throws if the response is an error. */
    send,
  }
}

export async function addMember(owner: OwnerApi, role: string): Promise<Hex> {
  const privateKey = generatePrivateKey()
  await owner.send('POST', '/api/members', { wallet: privateKeyToAccount(privateKey).address, role })
  return privateKey
}
