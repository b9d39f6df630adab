import { parseWallet } from '@sluice/protocol/wallet.ts'
import { expect, test } from 'vitest'
import { pageImage, parseSlot, productImage } from './page-image.ts'

const merchant = parseWallet('0x70997970C51812dc3A010C7d01b50e0d17dc79C8')

test('the address of a picture names its place and never its URL', () => {
  const { url, srcset } = pageImage({
    owner: 'brand.acme',
    slot: 'logo',
    url: 'https://pictures.example/logo.png',
  })
  expect(url).toMatch(/^\/images\/brand\.acme\/logo\/[A-Za-z0-9_-]{12}-96\.webp$/)
  expect(srcset).toBe(`${url} 96w, ${url.replace('-96', '-192')} 192w`)
})

test('another URL in the same place has another address', () => {
  const stored = { owner: 'brand.acme', slot: 'icon' }
  expect(pageImage({ ...stored, url: 'https://a.example' }).url).not.toBe(
    pageImage({ ...stored, url: 'https://b.example' }).url,
  )
})

test('the place of a product is found again in its address, whatever its id', () => {
  if (!merchant) throw new Error('a wallet')
  const { url } = productImage(merchant, 'a.b:c~1', 3, 'https://pictures.example/1.png')
  const slot = decodeURIComponent(url.split('/')[3] ?? '')
  expect(parseSlot(slot)).toEqual({ kind: 'product', productId: 'a.b:c~1', index: 3 })
})

test.each([
  '',
  'Logo',
  'constructor',
  'product',
  'product.a.b',
  'product.10.x',
  'product.1.',
])('%j is no place', (name) => {
  expect(parseSlot(name)).toBeUndefined()
})
