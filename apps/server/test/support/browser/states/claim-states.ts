import type { Page } from 'playwright-core'
import { Refusal } from '../../../../src/kernel/refusal.ts'
import type { ClaimCase } from '../../../../src/payments/claims/find-case.ts'
import { caseNumber, makeCase, makeClaimable } from '../claim-views.ts'
import type { PageStand } from './page-stand.ts'
import type { PageState } from './page-state.ts'

const payment = makeClaimable()
const hash = payment.transactionHash

/** A wallet that has the payer's account, and signs, refuses to or keeps quiet, as the page's `hand` says. */
export const signingWallet = `{
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
}`

/** Has the page's wallet asked to sign; the service's part is played here. */
export async function signWith(page: Page, hand: 'hold' | 'refuse'): Promise<void> {
  await page.route('**/api/payments/claims/challenge', (route) =>
    route.fulfill({ json: { typedData: { message: { nonce: '0x00' } } } }),
  )
  await page.evaluate(`globalThis.hand = '${hand}'`)
  await page.locator('[data-wallets] button').click()
  await page.locator(hand === 'hold' ? '[data-step] [data-step-text]' : '[data-fault]').waitFor()
}

const open =
  (path = '') =>
  ({ pages }: PageStand) =>
    `${pages.url}/claim${path}`
const found =
  (payments: PageStand['pages']['claims']['payments'], path = `?hash=${hash}`) =>
  (stand: PageStand) => {
    stand.pages.claims.payments = payments
    return open(path)(stand)
  }
const decided = (view: Partial<ClaimCase>) => (stand: PageStand) => {
  stand.pages.claims.cases.set(caseNumber, makeCase(view))
  return open(`/${caseNumber}`)(stand)
}
const refund = { transactionHash: hash, isConfirmed: true }
const decidedAt = Date.UTC(2025, 10, 23, 9, 30)

/** Every state of the pages of claims. */
export const claimStates: Readonly<Record<string, PageState>> = {
  'claim-search': { put: open(), says: 'Find payment' },
  'claim-no-hash': { put: open('?hash=hello'), says: 'not a transaction hash' },
  'claim-nothing': { put: open(`?hash=0x${'00'.repeat(32)}`), says: 'No payment' },
  'claim-found': { put: found([payment]), initScript: signingWallet, says: 'Payment found' },
  'claim-no-wallet': {
    put: found([payment]),
    act: async (page) => page.locator('[data-no-wallet]').waitFor(),
    says: 'Payment found',
  },
  'claim-several': {
    put: found([payment, makeClaimable({ logIndex: 5, amount: '7000000' })]),
    says: '2 payments found',
  },
  'claim-unknown-token': {
    put: found([makeClaimable({ payer: null, token: null, amount: '12' })]),
    says: 'Payment found',
  },
  'claim-signing': {
    put: found([payment]),
    initScript: signingWallet,
    act: (page) => signWith(page, 'hold'),
    says: 'Payment found',
  },
  'claim-rejected': {
    put: found([payment]),
    initScript: signingWallet,
    act: (page) => signWith(page, 'refuse'),
    says: 'Payment found',
  },
  'claim-bad-form': {
    put(stand) {
      const issues = ['refundAddress', 'contact'].map((path) => ({ path, message: 'no' }))
      stand.pages.claims.fault = new Refusal('invalid_input', 'no', { issues })
      return found([payment])(stand)
    },
    async act(page) {
      await page.locator('details.by-word summary').click()
      await page.locator('#refundAddress').fill('my wallet')
      await page.locator('#contact').fill('?')
      await page.locator('details.by-word .button').click()
      await page.locator('details.by-word [role=alert]').waitFor()
    },
    toldStatus: 400,
    says: 'Payment found',
  },
  'case-open': { put: decided({}), says: 'The merchant has your claim' },
  'case-applied': { put: decided({ state: 'applied', decidedAt }), says: 'claim' },
  'case-refunded': { put: decided({ state: 'refunded', decidedAt, refund }), says: 'refund' },
  'case-unconfirmed': {
    put: decided({ state: 'refunded', decidedAt, refund: { ...refund, isConfirmed: false } }),
    says: 'refund',
  },
  'case-kept': { put: decided({ state: 'kept', decidedAt, isProven: false }), says: 'claim' },
  'case-orphaned': { put: decided({ state: 'orphaned' }), says: 'claim' },
  'case-unknown': { put: open('/C-00000000000000000000000000'), says: 'not found', status: 404 },
}
