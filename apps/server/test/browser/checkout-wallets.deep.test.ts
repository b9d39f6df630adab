import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { focusedText, listen } from '../support/browser/checkout-browser.ts'
import { startWalletStage, type WalletStage } from '../support/browser/checkout-stage.ts'

let stage: WalletStage
beforeAll(async () => {
  stage = await startWalletStage()
})
afterAll(() => stage?.close())

describe('paying by a wallet', () => {
  it('tells the merchant how far the buyer came, each thing once', async () => {
    const buyer = await stage.begin('told', { purse: { ETH: 1 }, token: 'ETH' })
    const reported = () => stage.harness.reported.filter((each) => each.startsWith('told '))
    await expect.poll(reported).toEqual(['told link_opened'])
    buyer.wallet.refuse('eth_sendTransaction')
    await buyer.pay()
    await buyer.page.getByRole('heading', { name: 'Nothing was charged' }).waitFor()
    buyer.wallet.refuse('eth_sendTransaction', { code: -32000, message: 'out of order' })
    for (let i = 0; i < 2; i++) {
      await buyer.page.getByRole('button', { name: 'Try again' }).click()
      await buyer.page.getByRole('heading', { name: 'The wallet reported an error' }).waitFor()
    }
    await expect
      .poll(reported)
      .toEqual(['told link_opened', 'told buyer_logged_in', 'told checkout_initialized', 'told error'])
    await buyer.close()
  })

  it('point 17: in a token: approves, pays, hints, and shows the transaction even after a reload', async () => {
    const buyer = await stage.begin('token', { purse: { ETH: 1, USDC: 100 } })
    const heard = await listen(buyer.page)
    await buyer.pay()
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    const shown = buyer.page.locator('[data-slot=hash]')
    await expect.poll(() => shown.innerText()).toMatch(/^0x[0-9a-f]{64}$/)
    const hash = await shown.innerText()
    expect(await buyer.page.locator('#stage a').getAttribute('href')).toBe(
      `https://explorer.example/tx/${hash}`,
    )
    expect(await buyer.page.locator('.qr, .copy, .wallet').count()).toBe(0)
    expect(buyer.wallet.count('eth_sendTransaction')).toBe(2)
    await expect.poll(() => stage.harness.hints).toContain(hash)
    expect((await heard()).every((text) => text.startsWith('status: '))).toBe(true)
    await buyer.page.reload()
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    expect(await buyer.page.locator('[data-slot=hash]').innerText()).toBe(hash)
    expect(await buyer.page.locator('.qr, .copy, .wallet').count()).toBe(0)
    stage.harness.put('token', { status: 'paid' })
    await buyer.page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    await buyer.close()
  })

  it('point 34: from the skip link to the receipt by the keyboard alone, in the order of the page', async () => {
    const buyer = await stage.begin('keys', {
      purse: { ETH: 1 },
      token: 'ETH',
      page: { viewport: { width: 390, height: 844 } },
    })
    const { page } = buyer
    await page.locator('.wallet').waitFor()
    const walk = async (until: string) => {
      const names: string[] = []
      while (names.length < 30 && !names.at(-1)?.startsWith(until)) {
        await page.keyboard.press('Tab')
        names.push(await page.evaluate<string>(nameOfFocus))
      }
      return names
    }
    const way = await walk('Order details')
    expect(way[0]).toBe('Skip to the payment')
    await page.keyboard.press('Enter')
    await page.locator('.lines li').first().waitFor({ state: 'visible' })
    way.push(...(await walk('Pay from another device')))
    await page.keyboard.press('Enter')
    way.push(...(await walk('Help')))
    await page.keyboard.press('Enter')
    await page.locator('.help p').first().waitFor({ state: 'visible' })
    const stops = [
      'Skip to the payment',
      'Order details',
      `Pay with ${buyer.wallet.name}`,
      'Pay from another device',
      'link',
      'Copy amount',
      'Copy address',
      'Help with this payment',
    ]
    expect(
      way.filter((name) => stops.some((stop) => name.startsWith(stop))).map((name) => name.slice(0, 13)),
    ).toEqual(stops.map((stop) => stop.slice(0, 13)))
    await page.reload()
    await page.locator('.wallet').waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await walk('Pay with')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    await expect.poll(() => focusedText(page)).toBe('Payment sent')
    stage.harness.put('keys', { status: 'paid' })
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    await expect.poll(() => focusedText(page)).toBe('Payment complete')
    await walk('View the receipt')
    expect(await page.evaluate<string>(nameOfFocus)).toBe('View the receipt')
    await buyer.close()
  })

  it('point 16: sends once, however often the button is pressed', async () => {
    const buyer = await stage.begin('twice', { purse: { ETH: 1 }, token: 'ETH' })
    await buyer.page.locator('.wallet').dblclick()
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    expect(buyer.wallet.count('eth_sendTransaction')).toBe(1)
    await buyer.close()
  })

  it('sends once, even where the first connection is answered after a second was asked for', async () => {
    const buyer = await stage.begin('slow', { purse: { ETH: 1 }, token: 'ETH' })
    const release = buyer.wallet.hold('eth_requestAccounts')
    await buyer.pay()
    await buyer.page.getByRole('button', { name: 'Ask again' }).click()
    await expect.poll(() => buyer.wallet.count('eth_requestAccounts')).toBe(2)
    release()
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    expect(buyer.wallet.count('eth_sendTransaction')).toBe(1)
    await buyer.close()
  })

  it('point 10: on another network: names both, switches, and goes on by itself', async () => {
    const buyer = await stage.begin('elsewhere', {
      purse: { ETH: 1 },
      token: 'ETH',
      wallet: { chainId: 1, knows: [31337] },
    })
    await buyer.pay()
    await buyer.page.getByRole('heading', { name: 'Your wallet is on another network' }).waitFor()
    expect(await buyer.page.locator('.head p').innerText()).toContain(
      'is on Ethereum. This payment is on Local chain',
    )
    await buyer.page.getByRole('button', { name: 'Switch to Local chain' }).click()
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    expect(buyer.wallet.count('eth_sendTransaction')).toBe(1)
    await buyer.close()
  })

  it('point 11: on a network the wallet does not know: has it added with the right id', async () => {
    const buyer = await stage.begin('unknown-chain', {
      purse: { ETH: 1 },
      token: 'ETH',
      wallet: { chainId: 1 },
    })
    await buyer.pay()
    await buyer.page.getByRole('button', { name: 'Switch to Local chain' }).click()
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    expect(buyer.wallet.calls.find((call) => call.method === 'wallet_addEthereumChain')?.params).toEqual([
      expect.objectContaining({
        chainId: '0x7a69',
        chainName: 'Local chain',
        rpcUrls: ['http://127.0.0.1:8545'],
      }),
    ])
    await buyer.close()
  })

  it('on a network that the buyer changes by hand, after having refused to switch', async () => {
    const buyer = await stage.begin('by-hand', {
      purse: { ETH: 1 },
      token: 'ETH',
      wallet: { chainId: 137 },
    })
    buyer.wallet.refuse('wallet_switchEthereumChain')
    await buyer.pay()
    await buyer.page.getByRole('button', { name: 'Switch to Local chain' }).click()
    await buyer.page.getByRole('heading', { name: 'Switch to Local chain in your wallet' }).waitFor()
    await buyer.page.getByText('Network not in the list?').click()
    expect(await buyer.page.locator('#stage dd').allInnerTexts()).toEqual([
      'Local chain',
      '31337',
      'http://127.0.0.1:8545',
      'ETH',
    ])
    await buyer.wallet.moveTo(31337)
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    await buyer.close()
  })
})

describe('a wallet whose window is lost', () => {
  it('is opened again without a reload, and the buyer is told to confirm once', async () => {
    const buyer = await stage.begin('lost', { purse: { ETH: 1 }, token: 'ETH' })
    buyer.wallet.lose('eth_sendTransaction')
    await buyer.pay()
    await buyer.page.getByRole('button', { name: 'Open the wallet again' }).click()
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    expect(buyer.wallet.count('eth_sendTransaction')).toBe(2)
    expect(await buyer.page.locator('#stage').innerText()).toContain('more than one request')
    await buyer.close()
  })

  it('is cancelled, and what was confirmed in it all the same is noted', async () => {
    const buyer = await stage.begin('cancelled', { purse: { ETH: 1 }, token: 'ETH' })
    const release = buyer.wallet.hold('eth_sendTransaction')
    await buyer.pay()
    await expect.poll(() => buyer.wallet.count('eth_sendTransaction')).toBe(1)
    await buyer.page.getByRole('button', { name: 'Cancel' }).click()
    await buyer.page.locator('.wallet').waitFor()
    release()
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    await buyer.close()
  })

  it('is not asked again where something has left it since: it may be the payment', async () => {
    const buyer = await stage.begin('gone', { purse: { ETH: 1 }, token: 'ETH' })
    buyer.wallet.lose('eth_sendTransaction')
    await buyer.pay()
    await expect.poll(() => buyer.wallet.count('eth_sendTransaction')).toBe(1)
    await buyer.wallet.sendOther()
    await buyer.page.getByRole('button', { name: 'Open the wallet again' }).click()
    await buyer.page.getByRole('heading', { name: 'Your wallet has sent a transaction' }).waitFor()
    expect(buyer.wallet.count('eth_sendTransaction')).toBe(1)
    await buyer.page.getByRole('button', { name: 'It was not this payment' }).click()
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    expect(buyer.wallet.count('eth_sendTransaction')).toBe(2)
    await buyer.close()
  })
})

it('point 44: none of this leaves an error in the console or a report of the policy', () => {
  expect(stage.problems).toEqual([])
})

const nameOfFocus = `(document.activeElement.textContent || document.activeElement.value || '').trim()`
