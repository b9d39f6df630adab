import { describe, expect, it } from 'vitest'
import { shopUrl } from './view-checkout.ts'

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
    expect(shopUrl({ returnUrl: 'https://shop.example/x', redirectUrl: undefined }, storefront)).toBe(
      'https://shop.example/',
    )
  })
})
