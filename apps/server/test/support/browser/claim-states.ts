import type { Page } from 'playwright-core'
import { ApiError } from '../../../src/kernel/api-error.ts'
import type { ClaimCase } from '../../../src/payments/claims/find-case.ts'
import { at, type PageState } from './page-stand.ts'
import { caseNumber, makeCase, makeClaimable, transactionHash } from './receipt-views.ts'

const payment = makeClaimable()

/**
 * A wallet with the payer's account, created once per document. It rejects a signature if the page's `hand`
 * is `refuse`.
 */
const signingWallet = `globalThis.signingWallet ??= (() => {
  const icon = 'data:image/svg+xml,' + encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="16" fill="#7a5cff"/></svg>')
  const info = { uuid: '6a1e3f0c-93a5-4b0e-8d7b-2f4a1c5e9b10', name: 'Example Wallet', icon, rdns: 'com.example.wallet' }
  const request = async ({ method }) => {
    if (method === 'eth_requestAccounts') return [globalThis.account ?? '${payment.payer}']
    if (globalThis.hand === 'refuse') throw Object.assign(new Error('User rejected the request.'), { code: 4001 })
    return new Promise(() => {})
  }
  const detail = Object.freeze({ info, provider: { request, on() {}, removeListener() {} } })
  const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  addEventListener('eip6963:requestProvider', announce)
  announce()
  return detail
})()`

/** Makes the page request a signature. The test's routes respond for the service. */
export async function signWith(page: Page, hand: 'hold' | 'refuse'): Promise<void> {
  await page.route('**/api/payments/claims/challenge', (route) =>
    route.fulfill({ json: { typedData: { message: { nonce: '0x00' } } } }),
  )
  await page.evaluate(`globalThis.hand = '${hand}'`)
  await page.locator('[data-wallets] button').click()
  await page.locator(hand === 'hold' ? '[data-step] [data-step-text]' : '[data-fault]').waitFor()
}

async function fillBadForm(page: Page): Promise<void> {
  await page.locator('details.by-word summary').click()
  await page.locator('#refundAddress').fill('my wallet')
  await page.locator('#contact').fill('?')
  await page.locator('details.by-word .button').click()
  await page.locator('details.by-word [role=alert]').waitFor()
}

const found =
  (payments = [payment], claim?: Error): PageState['put'] =>
  ({ claims, error, url }) => {
    claims.payments = payments
    if (claim) error.claim = claim
    return `${url}/claim?hash=${transactionHash}`
  }
const decided =
  (changes: Partial<ClaimCase>): PageState['put'] =>
  ({ claims, url }) => {
    claims.cases.set(caseNumber, makeCase({ decidedAt: Date.UTC(2025, 10, 23, 9, 30), ...changes }))
    return `${url}/claim/${caseNumber}`
  }
const badForm = new ApiError('invalid_input', 'no', {
  issues: ['refundAddress', 'contact'].map((path) => ({ path, message: 'no' })),
})
const hasWallet = { initScript: signingWallet }
const returned = { state: 'refunded', refund: { transactionHash, isConfirmed: true } } as const

export const claimStates: Readonly<Record<string, PageState>> = {
  'claim-search': { put: at('/claim') },
  'claim-no-hash': { put: at('/claim?hash=hello') },
  'claim-nothing': { put: at(`/claim?hash=0x${'00'.repeat(32)}`) },
  'claim-found': { put: found(), ...hasWallet },
  'claim-no-wallet': { put: found(), act: (page) => page.locator('[data-no-wallet]').waitFor() },
  'claim-several': { put: found([payment, makeClaimable({ logIndex: 5, amount: '7000000' })]) },
  'claim-unknown-token': { put: found([makeClaimable({ payer: null, token: null, amount: '12' })]) },
  'claim-signing': { put: found(), ...hasWallet, act: (page) => signWith(page, 'hold') },
  'claim-rejected': { put: found(), ...hasWallet, act: (page) => signWith(page, 'refuse') },
  'claim-bad-form': { put: found([payment], badForm), act: fillBadForm },
  'case-open': { put: decided({ decidedAt: null }) },
  'case-applied': { put: decided({ state: 'applied' }) },
  'case-refunded': { put: decided(returned) },
  'case-unconfirmed': { put: decided({ decidedAt: null, refund: { transactionHash, isConfirmed: false } }) },
  'case-kept': { put: decided({ state: 'kept', isProven: false }) },
  'case-orphaned': { put: decided({ state: 'orphaned', decidedAt: null }) },
  'case-unknown': { put: at('/claim/C-00000000000000000000000000'), status: 404 },
}
