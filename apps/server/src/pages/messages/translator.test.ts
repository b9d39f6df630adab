import { html } from '@remix-run/html-template'
import { describe, expect, test } from 'vitest'
import { chooseLocale } from './locales.ts'
import { translator } from './translator.ts'

describe('the language of a page', () => {
  test.each([
    ['de', 'fr', 'de'],
    ['DE-at', undefined, 'de'],
    ['xx', 'fr;q=0.4, es-MX;q=0.9', 'es'],
    [['de', 'fr'], 'pt', 'pt'],
    [undefined, 'nl, *;q=0.5', 'en'],
    [undefined, 'de;q=0, ja;q=0.1', 'ja'],
    [undefined, 'ar;q=x', 'en'],
    [undefined, undefined, 'en'],
  ])('asked for %j with Accept-Language %j it is %s', (asked, header, locale) => {
    expect(chooseLocale(asked, header)).toBe(locale)
  })
})

describe('a message', () => {
  const t = translator('en')

  test('escapes what fills it, and keeps markup that was made as such', () => {
    const brand = html`<bdi>${'<b>Shop</b>'}</bdi>`
    expect(String(t.html('checkout.title', { amount: '<i>', brand }))).toBe(
      'Pay &lt;i&gt; · <bdi>&lt;b&gt;Shop&lt;/b&gt;</bdi>',
    )
    expect(t.text('checkout.title', { amount: '<i>', brand: 'x' })).toBe('Pay <i> · x')
  })
})

describe('amounts', () => {
  test('stablecoins have two decimals at least, and no digit of any token is lost', () => {
    const t = translator('en')
    expect(t.token('41500000', 6, 'USDC')).toBe('41.50 USDC')
    expect(t.token('1234567890001', 6, 'USDT')).toBe('1,234,567.890001 USDT')
    expect(t.token('8333333333333334', 18, 'ETH')).toBe('0.008333333333333334 ETH')
    expect(t.token('3000000000000000000', 18, 'ETH')).toBe('3 ETH')
  })

  test('are written as the language writes them', () => {
    expect(translator('de').token('1234500000', 6, 'USDC')).toBe('1.234,50 USDC')
    expect(translator('de').money(1250.5, 'EUR')).toBe('1.250,50\u00a0€')
    expect(translator('ar').money(1250.5, 'USD')).toBe('\u200f1,250.50\u00a0US$\u200e')
    expect(translator('ar').token('1234500000', 6, 'USDC')).toMatch(/^[\d.,]+ USDC$/)
  })
})
