import type { UnixMs } from '@sluice/protocol/time.ts'
import { describe, expect, it } from 'vitest'
import { makeAttempt, makeView, type ViewChanges } from '../../../test/support/browser/checkout-views.ts'
import { translator } from '../messages/translator.ts'
import type { PageContext } from './page-context.ts'
import { evaluatePanel, isPayable } from './panel.ts'
import { cardWay } from './ways-to-pay.ts'

const now = 1_700_000_000_000 as UnixMs
const evaluate = (changes: ViewChanges) => evaluatePanel(makeView(now, changes), now)
const offer = makeAttempt('USDC', now)

describe('the panel of a receipt', () => {
  it.each<[string, ViewChanges, string]>([
    ['offered', { attempt: offer }, 'pay'],
    ['made at the point of sale and offered', { status: 'generated', attempt: offer }, 'pay'],
    ['without an offer', {}, 'no-offer'],
    ['whose offer ran out', { attempt: { ...offer, expiresAt: now } }, 'expired'],
    ['past its own end', { attempt: offer, expiresAt: now }, 'receipt-expired'],
    [
      'past its own end with money on it',
      { expiresAt: now, payment: { state: 'short', received: '1' } },
      'expired-funds',
    ],
    ['of a merchant without a split', { canPay: false }, 'cannot-pay'],
    ['with money in a block', { canPay: false, payment: { state: 'seen', received: '1' } }, 'pending'],
    ['with too little', { attempt: offer, payment: { state: 'short', received: '1' } }, 'short'],
    ['with too little and no offer', { payment: { state: 'short', received: '1' } }, 'short-expired'],
    ['expired with money', { payment: { state: 'expired', received: '1' } }, 'expired-funds'],
    [
      'with late money that is too little',
      { attempt: offer, payment: { state: 'late', received: '1', missing: '1' } },
      'expired-funds',
    ],
    [
      'with late money that is enough',
      { attempt: offer, payment: { state: 'late', received: '2', missing: '0' } },
      'pending',
    ],
    ['paid', { status: 'paid', payment: { state: 'paid' } }, 'paid'],
    ['paid by an older spelling', { status: 'completed' }, 'paid'],
    ['reconciled', { status: 'reconciled', payment: { state: 'paid' } }, 'paid'],
    ['paid late', { status: 'paid', payment: { state: 'late' } }, 'paid-late'],
    ['paid too much', { status: 'reconciled', payment: { state: 'over' } }, 'overpaid'],
    [
      'paid and returned in part',
      { status: 'reconciled', refundedUsd: 5, payment: { state: 'over' } },
      'partly-refunded',
    ],
    ['whose block was taken back', { status: 'paid', payment: { state: 'orphaned' } }, 'orphaned'],
    ['failed', { status: 'failed', attempt: offer }, 'failed'],
    [
      'failed, then paid in part',
      { status: 'failed', payment: { state: 'short', received: '1' } },
      'short-expired',
    ],
    ['failed, then paid', { status: 'failed', payment: { state: 'seen', received: '1' } }, 'pending'],
    ['cancelled', { cancelledAt: now, attempt: offer }, 'cancelled'],
    [
      'cancelled with money on it',
      { cancelledAt: now, payment: { state: 'short', received: '1' } },
      'expired-funds',
    ],
    ['waiting for a bank', { status: 'paid - ach pending' }, 'bank-pending'],
    ['to be refunded', { status: 'refund_requested' }, 'refund-requested'],
    ['refunded', { status: 'refunded', attempt: offer }, 'refunded'],
    ['with a mark of old data', { status: 'tx_mined', attempt: offer }, 'paid'],
    ['with a status nobody knows', { status: 'on_the_moon' as never, attempt: offer }, 'pay'],
  ])('%s', (_name, changes, panel) => {
    expect(evaluate(changes)).toBe(panel)
  })

  it('asks for money only where nothing, or too little, was seen', () => {
    for (const state of ['seen', 'paid', 'over', 'late', 'orphaned'])
      expect(isPayable(evaluate({ attempt: offer, payment: { state, received: '1' } }))).toBe(false)
    for (const status of [
      'paid',
      'reconciled',
      'failed',
      'refunded',
      'refund_requested',
      'paid - ach pending',
    ])
      for (const state of [
        'none',
        'awaiting',
        'seen',
        'short',
        'paid',
        'over',
        'late',
        'expired',
        'orphaned',
      ])
        expect(isPayable(evaluate({ status, attempt: offer, payment: { state } }))).toBe(false)
  })
})

const context = { t: translator('en'), cardPath: '/pay/1/onramp' } as PageContext
const way = (methods: readonly ('card' | 'ach')[]) =>
  String(
    cardWay(
      makeView(0 as UnixMs, { onramp: { provider: 'paper', methods: [...methods], session: null } }),
      context,
    ),
  )

it('while a payment is confirming, the card is no button and no error, but a note', () => {
  expect(way(['card'])).toContain('<form')
  expect(way([])).toContain('Your payment is being confirmed. You can then pay the rest')
  expect(way([])).not.toMatch(/<form|role="alert"/)
})
