import { expect, test } from 'vitest'
import { webOrigin } from './read-text.ts'

const faultsOf = (text: string) => {
  const faults: string[] = []
  webOrigin(text, (why) => faults.push(why))
  return faults
}

test.each([
  'https://pay.example',
  'http://PAY.example:8080/',
  'http://[::1]:80',
])('%s is a host alone', (url) => expect(faultsOf(url)).toEqual([]))

test.each([
  'https://pay.example/pay',
  'https://pay.example?x',
  'https://u:p@pay.example',
  'https://pay.example/#',
  'https://',
  'ftp://pay.example',
])('%s is not: links would be put together wrongly', (url) => expect(faultsOf(url)).toHaveLength(1))
