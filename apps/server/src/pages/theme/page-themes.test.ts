import { pino } from 'pino'
import { expect, test } from 'vitest'
import { TestClock } from '../../../test/support/test-clock.ts'
import { plainTheme } from './page-theme.ts'
import { PageThemes, type ReadThemeSettings } from './page-themes.ts'

const log = pino({ level: 'silent' })
const merchant = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

function openThemes(read: ReadThemeSettings) {
  const clock = new TestClock()
  return { clock, themes: new PageThemes({ clock, log }, read) }
}

test('a look is read once for all who ask at once, and again some seconds later', async () => {
  let reads = 0
  const { clock, themes } = openThemes(async () => ({ brandName: `name ${++reads}` }))
  const names = await Promise.all([1, 2, 3].map(async () => (await themes.find(merchant)).brandName))
  expect(names).toEqual(['name 1', 'name 1', 'name 1'])
  expect((await themes.find(merchant.toLowerCase())).brandName).toBe('name 1')
  await clock.advance(5_000)
  expect((await themes.find(merchant)).brandName).toBe('name 2')
})

test('a change is seen where the look was read by a clock that was a day ahead', async () => {
  let brandName = 'old'
  const { clock, themes } = openThemes(async () => ({ brandName }))
  const right = clock.now()
  clock.jumpTo(right + 86_400_000)
  expect((await themes.find(merchant)).brandName).toBe('old')
  clock.jumpTo(right)
  brandName = 'new'
  expect((await themes.find(merchant)).brandName).toBe('new')
})

test('a look that cannot be read is the last one known, or the plain one, and no page fails', async () => {
  let isAway = true
  const { clock, themes } = openThemes(async () => {
    if (isAway) throw new Error('the datastore is away')
    return { brandName: 'Harbour Coffee', primaryColor: '#9d174d' }
  })
  expect(await themes.find(merchant)).toEqual(plainTheme)
  isAway = false
  await clock.advance(5_000)
  const known = await themes.find(merchant)
  expect(known.brandName).toBe('Harbour Coffee')
  isAway = true
  await clock.advance(5_000)
  expect(await themes.find(merchant)).toBe(known)
})

test('while it cannot be read, pages do not wait for it one after another', async () => {
  let reads = 0
  const { themes } = openThemes(async () => {
    reads++
    throw new Error('the datastore is away')
  })
  for (let i = 0; i < 10; i++) await themes.find(merchant)
  expect(reads).toBe(1)
})

test("a page of no merchant has the look of its host's brand, each host its own", async () => {
  const { themes } = openThemes(async (wallet, host) => ({ brandName: `${wallet} at ${host}` }))
  expect((await themes.find(undefined, 'pay.acme.example')).brandName).toBe('undefined at pay.acme.example')
  expect((await themes.find(undefined, 'pay.other.example')).brandName).toBe('undefined at pay.other.example')
  expect((await themes.find('0xnothing', 'pay.acme.example')).brandName).toBe('undefined at pay.acme.example')
})

test('any number of hosts takes bounded memory', async () => {
  let reads = 0
  const { themes } = openThemes(async () => ({ brandName: String(++reads) }))
  for (let i = 0; i < 2_000; i++) await themes.find(undefined, `${i}.example`)
  await themes.find(undefined, '0.example')
  expect(reads).toBe(2_001)
})
