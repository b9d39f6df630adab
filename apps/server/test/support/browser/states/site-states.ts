import { Outage } from '../../../../src/kernel/outage.ts'
import { Refusal } from '../../../../src/kernel/refusal.ts'
import type { PageState } from './page-state.ts'

/** Every state of the start page, of what is not there or not to be had, and of the checkout over a merchant's page. */
export const siteStates: Readonly<Record<string, PageState>> = {
  start: { put: ({ pages }) => pages.url, says: 'Get paid' },
  'start-local': {
    put({ pages }) {
      pages.service.hasDemoWallet = true
      return pages.url
    },
    says: 'demo',
  },
  'unknown-page': {
    put: ({ pages }) => `${pages.url}/no/such/page`,
    says: 'Page not found',
    status: 404,
  },
  'no-receipt': { put: ({ pages }) => `${pages.url}/receipt/none`, says: 'not found', status: 404 },
  'too-many': {
    put({ pages }) {
      pages.service.refusal = new Refusal('rate_limited', 'too many')
      return pages.url
    },
    says: 'Try again',
    status: 429,
  },
  'out-of-order': {
    put({ pages }) {
      pages.service.fault = new Outage('datastore', 'gone')
      return pages.put('R-out-of-order')
    },
    says: 'Try again',
    status: 503,
  },
  'embed-button': { put: ({ merchant }) => merchant.url, says: 'Pay $25.00' },
  'embed-open': {
    put({ checkouts, merchant }) {
      checkouts.put('coffee-embedded')
      return merchant.url
    },
    async act(page) {
      await page.getByRole('link', { name: 'Pay $25.00' }).click()
      await page.frameLocator('dialog iframe').getByRole('heading', { level: 1 }).waitFor()
    },
    says: 'Pay $25.00',
  },
}
