import { expect, test } from 'vitest'
import { webOrigin } from './read-text.ts'

const errorsOf = (text: string) => {
  const errors: string[] = []
  webOrigin(text, (why) => errors.push(why))
  return errors
}

test.each([
  'https://pay.example',
  'http://PAY.example:8080/',
  'http://[::1]:80',
])('%s is a host alone', (url) => expect(errorsOf(url)).toEqual([]))

test.each([
  'https://pay.example/pay',
  'https://pay.example?x',
  'https://u:p@pay.example',
  'https://pay.example/#',
  'https://',
  'ftp://pay.example',
])('%s is not: links would be put together wrongly', (url) => expect(errorsOf(url)).toHaveLength(1))
