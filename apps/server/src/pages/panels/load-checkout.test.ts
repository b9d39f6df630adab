import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { describe, expect, it } from 'vitest'
import { makeAttempt, makeView, type ViewChanges } from '../../../test/support/browser/checkout-views.ts'
import { ApiError } from '../../kernel/api-error.ts'
import { Outage } from '../../kernel/outage.ts'
import { type CheckoutRequest, loadCheckout } from './load-checkout.ts'

const now = 1_700_000_000_000 as UnixMs
const clock = { now: () => now, after: () => () => {} }

async function load(
  changes: ViewChanges,
  request: Partial<CheckoutRequest> = {},
  apiError?: ApiError | Outage,
  after?: ViewChanges,
) {
  const opened: string[] = []
  const views: CheckoutView[] = [makeView(now, changes), makeView(now, after ?? changes)]
  const checkout = await loadCheckout(
    {
      clock,
      findCheckout: async () => views.shift() ?? makeView(now, after),
      async openAttempt(_request, token) {
        opened.push(token)
        if (apiError) throw apiError
        return makeAttempt(token, now)
      },
    },
    { id: 'r', recipient: undefined, host: undefined, token: undefined, keepsQuote: false, ...request },
  )
  return { panel: checkout.panel, token: checkout.view.attempt?.token, opened }
}

describe('opening the checkout', () => {
  it('offers the first token where none was offered', async () => {
    expect(await load({})).toEqual({ panel: 'pay', token: 'USDC', opened: ['USDC'] })
  })

  it('offers the token that was chosen, and the first for one that is not taken', async () => {
    expect((await load({}, { token: 'ETH' })).token).toBe('ETH')
    expect((await load({}, { token: 'DOGE' })).token).toBe('USDC')
  })

  it('shows the offer that stands without opening another', async () => {
    expect(await load({ attempt: makeAttempt('ETH', now) })).toMatchObject({ token: 'ETH', opened: [] })
    expect(await load({ attempt: makeAttempt('ETH', now) }, { token: 'ETH' })).toMatchObject({ opened: [] })
  })

  it('makes a new price where one ran out without money, in the token that was chosen last', async () => {
    const ranOut = { payment: { state: 'expired', token: 'ETH' } }
    expect(await load(ranOut)).toEqual({ panel: 'pay', token: 'ETH', opened: ['ETH'] })
    expect(await load(ranOut, { token: 'USDC' })).toMatchObject({ panel: 'pay', opened: ['USDC'] })
    const gone = { payment: { state: 'expired', token: 'OLD' } }
    expect(await load(gone)).toMatchObject({ panel: 'pay', opened: ['USDC'] })
    expect((await load(ranOut, {}, new Outage('exchange_rate', 'No rate'))).panel).toBe('expired')
    const part = { payment: { state: 'short', received: '1' } }
    expect(await load(part)).toMatchObject({ panel: 'short-expired', opened: [] })
    const late = { payment: { state: 'expired', received: '1' } }
    expect(await load(late)).toMatchObject({ panel: 'expired-funds', opened: [] })
  })

  it('makes no new price unasked in a page that is open', async () => {
    for (const token of ['USDC', undefined])
      expect(await load({ payment: { state: 'expired' } }, { token, keepsQuote: true })).toMatchObject({
        panel: 'expired',
        opened: [],
      })
    const awaited = { payment: { state: 'awaiting' } }
    expect(await load(awaited, { keepsQuote: true })).toMatchObject({ panel: 'expired', opened: [] })
  })

  it('opens nothing for a receipt that is not to be paid', async () => {
    for (const status of ['paid', 'paid - ach pending', 'refunded'])
      expect((await load({ status }, { token: 'ETH' })).opened).toEqual([])
    expect((await load({ canPay: false })).opened).toEqual([])
    expect((await load({ payment: { state: 'seen', received: '1' } }, { token: 'ETH' })).opened).toEqual([])
  })

  it('offers another way to pay what failed, to who asks for it, unless nobody takes the amount here', async () => {
    const failed = (code: string) => ({
      status: 'failed',
      failure: { code, category: 'card_decline' as const, providerRequestId: null },
    })
    const declined = failed('PORTAL_PAY_ISSUER_DECLINED')
    expect(await load(declined)).toMatchObject({ panel: 'failed', opened: [] })
    expect(await load(declined, { token: 'ETH' })).toEqual({ panel: 'pay', token: 'ETH', opened: ['ETH'] })
    const standing = { ...declined, attempt: makeAttempt('ETH', now) }
    expect(await load(standing, { token: 'ETH' })).toMatchObject({ panel: 'pay', opened: [] })
    expect((await load(standing)).panel).toBe('failed')
    for (const code of ['PORTAL_PAY_TRANSACTION_BLOCKED', 'PORTAL_PAY_AMOUNT_ABOVE_MAXIMUM'])
      expect(await load(failed(code), { token: 'ETH' })).toMatchObject({ panel: 'pay', opened: ['ETH'] })
    const outside = { ...failed('PORTAL_PAY_AMOUNT_ABOVE_MAXIMUM'), isWithinLimits: false }
    expect(await load(outside, { token: 'ETH' })).toMatchObject({ panel: 'out-of-limits', opened: [] })
    expect((await load({ ...declined, canPay: false }, { token: 'ETH' })).opened).toEqual([])
  })

  it('shows what a refused offer made of the receipt', async () => {
    const limits = new ApiError('invalid_amount', 'Too small')
    expect((await load({}, {}, limits, { status: 'failed' })).panel).toBe('failed')
    expect((await load({}, {}, limits)).panel).toBe('out-of-limits')
    expect((await load({}, {}, new ApiError('split_required', 'No split'))).panel).toBe('cannot-pay')
    expect((await load({}, {}, new Outage('exchange_rate', 'No rate'))).panel).toBe('no-offer')
  })

  it('does not ask for money in a token that is no longer taken', async () => {
    const gone = { ...makeAttempt('USDC', now), token: 'OLD' }
    expect(await load({ attempt: gone })).toMatchObject({ token: 'USDC', opened: ['USDC'] })
  })

  it('leaves an outage of the records to the page that says so', async () => {
    const outage = new Outage('datastore', 'gone')
    await expect(load({}, {}, outage)).rejects.toBe(outage)
  })
})
