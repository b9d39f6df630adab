import type { Browser } from 'playwright-core'
import type { Hex } from 'viem'
import { TestWallet } from '../chain/test-wallet.ts'
import type { LocalService } from '../service/local-service.ts'
import { type BuyerOptions, type BuyerPage, openAsBuyer } from './checkout-browser.ts'

/** A page of the web app with somebody signed in, by a wallet that goes on answering. */
export type SignedInPage = BuyerPage & {
  readonly wallet: TestWallet
  /** A request to the API with the session of the page, as the app itself would send it. */
  ask(method: string, path: string, body?: unknown): Promise<ApiAnswer>
}

/** What the API says. */
// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
export type ApiAnswer = { readonly status: number; readonly body: any }

/** How a page is opened, and who signs in: the demo merchant where nothing else is said. */
export type SignedInOptions = BuyerOptions & {
  readonly as?: Hex
  /** The chain the wallet is on at first. */
  readonly chainId?: number
  readonly knows?: readonly number[]
}

const patienceMs = 60_000

/** Opens a screen of the web app (`/app` + path) and signs in with a wallet. */
export async function openSignedIn(
  browser: Browser,
  service: Pick<LocalService, 'baseUrl' | 'rpcUrl' | 'merchant'>,
  path: string,
  { as = service.merchant.privateKey, chainId = 31337, knows = [], ...options }: SignedInOptions = {},
): Promise<SignedInPage> {
  const wallet = new TestWallet({
    name: 'Merchant Wallet',
    privateKey: as,
    rpcUrl: service.rpcUrl,
    chainId,
    knows,
  })
  const url = `${service.baseUrl}/app${path}`
  // The app is built when it is first asked for, which takes longer than a page may take to open.
  await fetch(url)
  const opened = await openAsBuyer(browser, url, { ...options, wallets: [wallet] })
  const { page } = opened
  page.setDefaultTimeout(patienceMs)
  await page.getByRole('button', { name: 'Sign in with Merchant Wallet' }).click()
  await page.locator('main#content').waitFor()
  // Nobody was signed in when the page asked who is.
  const unasked = opened.problems.filter((problem) => !problem.includes('401'))
  opened.problems.splice(0, opened.problems.length, ...unasked)
  return {
    ...opened,
    wallet,
    ask: (method, path, body) => page.evaluate<ApiAnswer>(askInPage(method, path, body)),
  }
}

function askInPage(method: string, path: string, body: unknown): string {
  const given = JSON.stringify({ method, path, body })
  return `(async () => {
    const { method, path, body } = ${given}
    const session = await (await fetch('/api/auth/session')).json()
    const headers = { 'content-type': 'application/json', 'x-csrf-token': session.csrfToken }
    const init = method === 'GET' ? {} : { method, headers, body: JSON.stringify(body ?? {}) }
    const answer = await fetch(path, init)
    return { status: answer.status, body: await answer.json().catch(() => null) }
  })()`
}
