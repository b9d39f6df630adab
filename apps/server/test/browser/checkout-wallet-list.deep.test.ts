import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bottomOf, focusedText } from '../support/browser/checkout-browser.ts'
import { startWalletStage, type WalletStage } from '../support/browser/checkout-stage.ts'
import type { TestWallet } from '../support/chain/test-wallet.ts'

let stage: WalletStage
beforeAll(async () => {
  stage = await startWalletStage()
})
afterAll(() => stage?.close())

const namesOfButtons = `[...document.querySelectorAll('.wallet')].map((button) => button.children[1].textContent)`

const markAsked = `addEventListener('eip6963:requestProvider', () => (globalThis.hasAsked = true))`

describe('the list of wallets', () => {
  it('point 6: has a button with name and icon for each; a late one moves neither focus nor layout', async () => {
    const wallets = [
      stage.makeWallet({ name: 'Kestrel' }),
      stage.makeWallet({ name: 'Heron' }),
      stage.makeWallet({ name: 'Late Bird', kind: 'late' }),
    ]
    const { page, close } = await stage.open(stage.harness.put('many'), { wallets })
    const kestrel = page.getByRole('button', { name: 'Pay with Kestrel' })
    await kestrel.focus()
    await page.evaluate(`
      globalThis.shift = 0
      new PerformanceObserver((list) => list.getEntries().forEach((entry) => (shift += entry.value)))
        .observe({ type: 'layout-shift', buffered: true })`)
    await page.getByRole('button', { name: 'Pay with Late Bird' }).waitFor()
    expect(await page.locator('.wallet img').count()).toBe(3)
    expect(await focusedText(page)).toBe('Pay with Kestrel')
    expect(await page.evaluate(namesOfButtons)).toEqual([
      'Pay with Kestrel',
      'Pay with Heron',
      'Pay with Late Bird',
    ])
    expect(await page.evaluate<number>('shift')).toBeLessThanOrEqual(0.02)
    await close()
  })

  it('shows no icon that is not a small picture, but the first letter', async () => {
    const wallets = [
      stage.makeWallet({ name: 'Far', icon: 'https://tracker.example/icon.png' }),
      stage.makeWallet({ name: 'Big', icon: `data:image/png;base64,${'A'.repeat(200_000)}` }),
      stage.makeWallet({ name: '<b>Bold</b>', icon: 'javascript:alert(1)' }),
    ]
    const { page, close } = await stage.open(stage.harness.put('icons'), { wallets })
    await page.getByRole('button', { name: 'Pay with <b>Bold</b>' }).waitFor()
    expect(await page.locator('.wallet img').count()).toBe(0)
    expect(await page.locator('.wallet .letter').allInnerTexts()).toEqual(['F', 'B', '<'])
    await close()
  })

  it('has the wallet first that was used last, in whatever order they announce themselves', async () => {
    const wallets = [stage.makeWallet({ name: 'Kestrel' }), stage.makeWallet({ name: 'Heron', chainId: 1 })]
    const { page, close } = await stage.open(stage.harness.put('last'), { wallets })
    await page.getByRole('button', { name: 'Pay with Heron' }).click()
    await page.getByRole('heading', { name: 'Your wallet is on another network' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Pay with Kestrel' }).waitFor()
    expect(await page.evaluate(namesOfButtons)).toEqual(['Pay with Heron', 'Pay with Kestrel'])
    await close()
  })

  it('point 7: says after 300 to 500 ms that there is none, with no dead button and the code in sight', async () => {
    const { page, close } = await stage.open('about:blank', { initScript: markAsked, hasClock: true })
    await page.clock.pauseAt(Date.now() + 1_000)
    await page.goto(stage.harness.put('none'))
    await expect.poll(() => page.evaluate('globalThis.hasAsked')).toBe(true)
    const none = page.getByRole('heading', { name: 'No wallet found' })
    await page.clock.runFor(299)
    expect(await none.isVisible()).toBe(false)
    await page.clock.runFor(201)
    await none.waitFor()
    expect(await page.locator('.wallet').count()).toBe(0)
    expect(await page.locator('[data-wallets]').isVisible()).toBe(false)
    const [code, rows] = await Promise.all(['.code.link svg', '.rows'].map((part) => bottomOf(page, part)))
    expect(code).toBeLessThan(rows ?? 0)
    await close()
  })

  it('loads the steps of a payment only where there is a wallet, and shows one that comes late', async () => {
    const urls: string[] = []
    const open = async (id: string, wallets: TestWallet[]) => {
      const buyer = await stage.open('about:blank', { wallets })
      buyer.page.on('request', (request) => urls.push(request.url()))
      await buyer.page.goto(stage.harness.put(id))
      return buyer
    }
    const none = await open('steps-none', [])
    await none.page.getByRole('heading', { name: 'No wallet found' }).waitFor()
    expect(urls.filter((url) => url.includes('/assets/steps-'))).toEqual([])
    await none.close()

    const buyer = await stage.open('about:blank', { wallets: [stage.makeWallet({ chainId: 1 })] })
    let isLetThrough = false
    await buyer.page.route('**/assets/steps-*', (route) => (isLetThrough ? route.continue() : route.abort()))
    await buyer.page.goto(stage.harness.put('steps-late'))
    await buyer.page.locator('.wallet').click()
    await expect
      .poll(() => buyer.page.evaluate('performance.getEntriesByType("resource").length'))
      .toBeGreaterThan(3)
    isLetThrough = true
    await buyer.page.getByRole('heading', { name: 'Your wallet is on another network' }).waitFor()
    // Skips the check of `close`, since the console reports the blocked requests.
    await buyer.page.context().close()
  })

  it('point 8: has one browser wallet where there is only window.ethereum', async () => {
    const { page, close } = await stage.open(stage.harness.put('legacy'), {
      wallets: [stage.makeWallet({ kind: 'legacy' })],
    })
    await page.getByRole('button', { name: 'Pay with Browser wallet' }).waitFor()
    expect(await page.locator('.wallet').count()).toBe(1)
    await close()
  })

  it('point 44: none of this leaves an error in the console or a report of the policy', () => {
    expect(stage.problems).toEqual([])
  })
})
