import { failures } from '@sluice/protocol/failure-catalogue.ts'
import { describeFailure, type FailureCode } from '@sluice/protocol/failures.ts'
import { describe, expect, it } from 'vitest'
import { shopUrl, viewFailure } from './view-checkout.ts'

describe('the way back to a shop', () => {
  it.each([
    [
      { returnUrl: 'https://shop.example/thanks?key=secret', redirectUrl: undefined },
      'https://shop.example/',
    ],
    [{ returnUrl: undefined, redirectUrl: 'https://other.example/a/b#c' }, 'https://other.example/'],
    [{ returnUrl: undefined, redirectUrl: undefined }, null],
    [{ returnUrl: 'not a url', redirectUrl: undefined }, null],
  ])('of %j is %s: nothing that is worth a payment', (receipt, url) => {
    expect(shopUrl(receipt, undefined)).toBe(url)
  })

  it('is the storefront of an order that names no other', () => {
    const storefront = 'https://pay.example/shop/harbour'
    expect(shopUrl({ returnUrl: undefined, redirectUrl: undefined }, storefront)).toBe(storefront)
    expect(shopUrl({ returnUrl: storefront, redirectUrl: undefined }, storefront)).toBe(storefront)
    expect(shopUrl({ returnUrl: 'https://shop.example/x', redirectUrl: undefined }, storefront)).toBe(
      'https://shop.example/',
    )
  })
})

describe('a failure as its buyer sees it', () => {
  it.each(
    Object.keys(failures) as FailureCode[],
  )('of %s has code, category and reference, and no advice', (code) => {
    const error = { errorCode: 'provider_code', requestId: 'req_1' }
    const view = viewFailure(describeFailure(code, error))
    expect(Object.keys(view ?? {})).toEqual(['code', 'category', 'providerRequestId'])
    expect(view).toMatchObject({ category: failures[code].category, providerRequestId: 'req_1' })
    expect(view?.code).not.toMatch(/SANCTION/)
  })

  it('is none where nothing failed', () => {
    expect(viewFailure(undefined)).toBeNull()
  })
})
