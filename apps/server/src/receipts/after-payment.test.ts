import { describe, expect, test } from 'vitest'
import { afterPayment } from './after-payment.ts'

const shop = 'https://shop.example.com/thanks'
const none = { returnUrl: undefined, onSuccess: undefined, redirectUrl: undefined }

describe('after the payment the buyer goes', () => {
  test.each([
    [shop, undefined, undefined, shop],
    [shop, 'https://other.example.com', 'https://third.example.com', shop],
    [undefined, shop, 'https://third.example.com', shop],
    [undefined, undefined, shop, shop],
    [undefined, 'track()', shop, shop],
    [undefined, 'javascript:alert(1)', shop, shop],
    [undefined, 'http://shop.example.com', undefined, undefined],
    [undefined, 'https://user:pass@shop.example.com', undefined, undefined],
    [undefined, undefined, undefined, undefined],
  ])('with returnUrl %s, onSuccess %s and redirect_url %s to %s', (returnUrl, onSuccess, redirectUrl, url) => {
    expect(afterPayment({ returnUrl, onSuccess, redirectUrl }).url).toBe(url)
  })
})

describe('a script that is only a way to a page is that page', () => {
  test.each([
    `window.location = '${shop}'`,
    `location.href="${shop}";`,
    `  window.top.location.href = \`${shop}\`\n`,
    `document.location = '${shop}'`,
    `self.location.assign('${shop}')`,
    `location.replace( "${shop}" );`,
  ])('%s', (onSuccess) => {
    expect(afterPayment({ ...none, onSuccess })).toEqual({ url: shop, script: undefined })
  })

  test.each([
    'window.location = "/thanks"',
    "location.href = 'javascript:alert(1)'",
    'location.assign("http://shop.example.com")',
    "location = 'data:text/html,x'",
    'javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'http://shop.example.com',
    ' ',
  ])('and where such a page is never followed, nothing happens: %s', (onSuccess) => {
    expect(afterPayment({ ...none, onSuccess })).toEqual({ url: undefined, script: undefined })
  })

  test.each([
    "track('sale'); window.location = 'https://shop.example.com'",
    `if (payment.amount > 5) location.href = '${shop}'`,
    `location.href = '${shop}' + payment.receiptId`,
    'done: for (const x of [1]) { break done }',
  ])('everything else is a script: %s', (onSuccess) => {
    expect(afterPayment({ ...none, onSuccess })).toEqual({ url: undefined, script: onSuccess })
  })
})
