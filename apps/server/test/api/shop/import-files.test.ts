import { expect, test } from 'vitest'
import type { ApiResponse } from '../../support/api/call-api.ts'
import { startShop } from '../../support/api/shop.ts'
import type { TestMerchant } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const shop = perFile(startShop)

type File = string | Uint8Array<ArrayBuffer>
const upload = async ({ key }: TestMerchant, body: File) => {
  const headers = { 'ocp-apim-subscription-key': key, 'content-type': 'text/csv' }
  const response = await fetch(`${shop.url}/api/inventory/import`, { method: 'POST', headers, body })
  return { status: response.status, body: (await response.json()) as ApiResponse['body'] }
}
const download = ({ key }: TestMerchant) =>
  fetch(`${shop.url}/api/inventory/export`, { headers: { 'x-api-key': key } })
const list = async ({ key }: TestMerchant) =>
  (await shop.call('GET', '/api/inventory?sort=sku', { key })).body

const table = [
  ['sku', 'name', 'priceUsd', 'images'],
  ['', '', '', ''],
  [
    'tea',
    'Grüner "Tee"',
    '12.50',
    'https://a.example/1.png, https://a.example/2,5.png,https://b.example/3.png ,',
  ],
  [' ', '', '', ''],
  ['mug', 'Mug', '3', ''],
  ['', '', '', ''],
]
const write = (delimiter: string, end = '\r\n') =>
  table.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(delimiter) + end).join('')
const utf16 = (text: string) => Uint8Array.from(Buffer.from(`\uFEFF${text}`, 'utf16le'))
const bigEndian = (text: string) => Uint8Array.from(Buffer.from(utf16(text)).swap16())
test.each<[string, File]>([
  ['lines that end with CR alone', write(',', '\r')],
  ['a first line sep=;', `sep=;\r\n${write(';')}`],
  ['a first line sep=; after a BOM', `\uFEFFsep=;\n${write(';', '\n')}`],
  ['tabs', write('\t', '\n')],
  ['Excel’s Unicode text: UTF-16 with tabs', utf16(write('\t'))],
  ['UTF-16, the other way round', bigEndian(write(','))],
  ['commas', write(',')],
])('an import takes a file of %s, with rows of empty cells and images between commas', async (_, file) => {
  const merchant = await shop.addMerchant()
  expect((await upload(merchant, file)).body).toMatchObject({ ok: true, created: 2 })
  expect((await list(merchant)).items).toMatchObject([
    { sku: 'mug', images: [] },
    {
      name: 'Grüner "Tee"',
      images: ['https://a.example/1.png', 'https://a.example/2,5.png', 'https://b.example/3.png'],
    },
  ])
})

test('an import names the line of a fault as an editor counts it, in whatever way lines end', async () => {
  const merchant = await shop.addMerchant()
  for (const end of ['\r', '\n', '\r\n']) {
    const file = ['sep=,', 'sku,name,priceUsd', ',,', '"a', 'b",A,1', 'b,B,x', ''].join(end)
    const { body } = await upload(merchant, file)
    expect(body.issues.map(({ path }: { path: string }) => path)).toEqual(['rows/4/sku', 'rows/6/priceUsd'])
  }
})

test('an export begins with a byte order mark, so that Excel reads it as UTF-8, and brings back images with commas', async () => {
  const merchant = await shop.addMerchant()
  const images = ['https://a.example/resize,https://b.example/1.png', 'https://a.example/ends,']
  await shop.addProduct(merchant, { sku: 'tee', name: 'Grüner Tee', images })
  const bytes = new Uint8Array(await (await download(merchant)).arrayBuffer())
  expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
  const other = await shop.addMerchant()
  expect((await upload(other, bytes)).body.created).toBe(1)
  expect((await list(other)).items[0].images.map(decodeURIComponent)).toEqual(images)
})
