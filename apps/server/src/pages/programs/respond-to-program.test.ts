import { expect, test } from 'vitest'
import { wantsJson } from './respond-to-program.ts'

const chrome =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8'

test.each([
  ['application/json'],
  ['application/json, text/plain, */*'],
  ['APPLICATION/JSON;q=0.5'],
  ['application/json;charset=utf-8;q=0.9, text/html;q=0.8'],
])('who names JSON and wants no page as much is a program: %s', (accept) => {
  expect(wantsJson({ accept })).toBe(true)
})

test.each([
  [chrome],
  ['*/*'],
  [''],
  [undefined],
  ['text/html, application/json'],
  ['application/json;q=0'],
  ['application/json;q=-1'],
  ['application/json;q=NaN'],
  ['application/jsonp'],
  [`${' '.repeat(2_000)}application/json`],
])('everybody else gets the page: %s', (accept) => {
  expect(wantsJson({ accept })).toBe(false)
})

test('who brings a payment is a program, whatever else it takes', () => {
  expect(wantsJson({ accept: chrome, 'payment-signature': '' })).toBe(true)
  expect(wantsJson({ accept: chrome, 'x-payment': 'e30=' })).toBe(true)
})
