import type { Cents, TokenUnits } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { sandboxPath } from '../../../../src/onramp/sandbox/sandbox-provider.ts'
import type { SandboxSession } from '../../../../src/onramp/sandbox/session.ts'
import { addresses } from '../checkout-views.ts'
import type { PageState } from './page-state.ts'

/** A session over 25 dollars in which nothing was paid. */
export function makeSandboxSession(changes: Partial<SandboxSession> = {}): SandboxSession {
  return {
    id: 'sbx_01K9SANDBOX0000000000000000',
    reference: '01K9SANDBOX0000000000000000',
    state: 'opened',
    stateAt: 0 as UnixMs,
    createdAt: 0 as UnixMs,
    chain: 31_337,
    token: addresses.usdc as SandboxSession['token'],
    units: 25_000_000n as TokenUnits,
    decimals: 6,
    depositAddress: addresses.deposit as SandboxSession['depositAddress'],
    dueCents: 2_500n as Cents,
    sourceCents: undefined,
    redirectUrl: 'https://shop.example/back',
    errorCode: undefined,
    requestId: undefined,
    settlesAt: undefined,
    returnsAs: undefined,
    transactionHash: undefined,
    ...changes,
  }
}

const session =
  (changes: Partial<SandboxSession> = {}, query = ''): PageState['put'] =>
  ({ pages }) => {
    const made = makeSandboxSession(changes)
    pages.sandbox.set(made.id, made)
    return `${pages.url}${sandboxPath}/${made.id}${query}`
  }

/** Every state of the card sandbox's hosted page. */
export const sandboxStates: Readonly<Record<string, PageState>> = {
  'sandbox-card': { put: session(), says: 'Test cards' },
  'sandbox-bank': { put: session({}, '?method=bank'), says: 'Test bank accounts' },
  'sandbox-again': {
    put: session({ state: 'failed', errorCode: 'insufficient_funds', requestId: 'req_1' }),
    says: 'The last payment failed: The card or bank account did not have enough funds',
  },
  'sandbox-wrong': {
    put: session(),
    async act(page) {
      await page.getByLabel('Card number').fill('4111 1111 1111 1111')
      await page.getByRole('button', { name: 'Pay $25.38' }).click()
      await page.getByRole('alert').waitFor()
    },
    says: 'not one of the test cards',
    toldStatus: 400,
  },
  'sandbox-accepted': {
    put: session({ state: 'accepted', redirectUrl: 'about:blank' }),
    says: 'Payment accepted',
  },
  'sandbox-ach-pending': {
    put: session({ state: 'ach_pending', redirectUrl: 'about:blank' }),
    says: 'Bank debit accepted',
  },
  'sandbox-settled': { put: session({ state: 'settled' }), says: 'Payment complete' },
  'sandbox-returned': {
    put: session({ state: 'returned', errorCode: 'insufficient_funds' }),
    says: 'The bank returned the debit',
  },
  'sandbox-blocked': {
    put: session({ state: 'failed', errorCode: 'crypto_onramp_transaction_blocked' }),
    says: 'The payment failed',
  },
}
