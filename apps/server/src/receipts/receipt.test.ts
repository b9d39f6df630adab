import { expect, test } from 'vitest'
import { urlAfterPayment } from './receipt.ts'

const shop = 'https://shop.example.com/thanks'

test.each([
  [shop, undefined, shop],
  [shop, 'https://other.example.com', shop],
  [undefined, shop, shop],
  [undefined, 'window.location = "/x"', undefined],
  [undefined, 'javascript:alert(1)', undefined],
  [undefined, 'data:text/html,x', undefined],
  [undefined, 'http://shop.example.com', undefined],
  [undefined, 'https://user:pass@shop.example.com', undefined],
  [undefined, undefined, undefined],
])('with returnUrl %s and onSuccess %s the buyer goes to %s', (returnUrl, onSuccess, url) =>
  expect(urlAfterPayment({ returnUrl, onSuccess })).toBe(url))
