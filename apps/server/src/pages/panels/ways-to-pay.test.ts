import type { UnixMs } from '@sluice/protocol/time.ts'
import { describe, expect, it } from 'vitest'
import { makeView } from '../../../test/support/browser/checkout-views.ts'
import { returnUrl, wayBack } from './ways-to-pay.ts'

const view = (url: string | null) => makeView(0 as UnixMs, { returnUrl: url, shopUrl: url })
const production = { isProduction: true }

describe('a way back', () => {
  it.each([
    ['https://shop.example/thanks', true],
    ['http://shop.example/thanks', false],
    ['javascript:alert(1)', false],
    ['data:text/html,hi', false],
    ['https://user:secret@shop.example/', false],
    ['//shop.example', false],
    [null, false],
  ])('%s is followed: %s', (url, isFollowed) => {
    expect(returnUrl(view(url), production) !== undefined).toBe(isFollowed)
    expect(wayBack(view(url), production) !== undefined).toBe(isFollowed)
  })

  it('leads to this machine in development only', () => {
    expect(returnUrl(view('http://localhost:3000/x'), { isProduction: false })).toBe(
      'http://localhost:3000/x',
    )
    expect(returnUrl(view('http://localhost:3000/x'), production)).toBeUndefined()
  })

  it('is called by its host, and a storefront by its name', () => {
    expect(wayBack(view('https://pay.example/shop/harbour'), production)?.name).toBe(
      'Harbour Coffee Roasters',
    )
    expect(wayBack(view('https://shop.example:8443/'), production)).toEqual({
      href: 'https://shop.example:8443/',
      name: 'shop.example:8443',
    })
  })
})
