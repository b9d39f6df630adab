import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { focusedText, listen, openAsBuyer } from '../support/browser/checkout-browser.ts'
import { startWalletStage, type WalletStage } from '../support/browser/wallet-stage.ts'

let stage: WalletStage
beforeAll(async () => {
  stage = await startWalletStage()
})
afterAll(() => stage?.close())

describe('the list of wallets', () => {
  it('has a button for each wallet that announces itself; a late one is added and takes no focus', async () => {
    const wallets = [
      stage.makeWallet({ name: 'Kestrel' }),
      stage.makeWallet({ name: 'Heron' }),
      stage.makeWallet({ name: 'Late Bird', kind: 'late' }),
    ]
    const buyer = await openAsBuyer(stage.browser, stage.harness.put('many'), { wallets })
    const kestrel = buyer.page.getByRole('button', { name: 'Pay with Kestrel' })
    await kestrel.focus()
    expect(await buyer.page.locator('.wallet img').count()).toBe(2)
    await buyer.page.getByRole('button', { name: 'Pay with Late Bird' }).waitFor()
    expect(await focusedText(buyer.page)).toBe('Pay with Kestrel')
    expect(await buyer.page.locator('.wallet').allInnerTexts()).toEqual([
      'Pay with Kestrel',
      'Pay with Heron',
      'Pay with Late Bird',
    ])
    expect(buyer.problems).toEqual([])
    await buyer.close()
  })

  it('has one browser wallet where there is only window.ethereum', async () => {
    const buyer = await openAsBuyer(stage.browser, stage.harness.put('legacy'), {
      wallets: [stage.makeWallet({ kind: 'legacy' })],
    })
    await buyer.page.getByRole('button', { name: 'Pay with Browser wallet' }).waitFor()
    expect(await buyer.page.locator('.wallet').count()).toBe(1)
    await buyer.close()
  })

  it('says within half a second that there is none, with no dead button', async () => {
    const buyer = await openAsBuyer(stage.browser, stage.harness.put('none'))
    await buyer.page.getByRole('heading', { name: 'No wallet found' }).waitFor({ timeout: 1_000 })
    expect(await buyer.page.locator('.wallet').count()).toBe(0)
    expect(await buyer.page.locator('.code.link svg').isVisible()).toBe(true)
    await buyer.close()
  })
})

describe('paying by a wallet', () => {
  it('in a token: allows, pays, hints, and shows the transaction even after a reload', async () => {
    const buyer = await stage.begin('token', { purse: { ETH: 1, USDC: 100 } })
    const heard = await listen(buyer.page)
    await buyer.pay()
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    const hash = await buyer.page.locator('[data-slot=hash]').innerText()
    expect(hash).toMatch(/^0x[0-9a-f]{64}$/)
    expect(await buyer.page.locator('#stage a').getAttribute('href')).toBe(
      `https://explorer.example/tx/${hash}`,
    )
    expect(await buyer.page.locator('.qr, .copy, .wallet').count()).toBe(0)
    expect(buyer.wallet.count('eth_sendTransaction')).toBe(2)
    expect(stage.harness.hints).toContain(hash)
    expect((await heard()).every((text) => text.startsWith('status: '))).toBe(true)
    await buyer.page.reload()
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    stage.harness.put('token', { status: 'paid' })
    await buyer.page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    expect(buyer.problems).toEqual([])
    await buyer.close()
  })

  it('with the keyboard alone, in the order of the page', async () => {
    const buyer = await stage.begin('keys', { purse: { ETH: 1 }, token: 'ETH' })
    await buyer.page.locator('.wallet').waitFor()
    const order: string[] = []
    for (let i = 0; i < 12; i++) {
      await buyer.page.keyboard.press('Tab')
      order.push(await buyer.page.evaluate<string>(nameOfFocus))
    }
    expect(order).toEqual([
      'Skip to the payment',
      'USDC 25.00',
      'ETH 0.008334',
      `Pay with ${buyer.wallet.name}`,
      'link',
      'Copy amount',
      'Copy address',
      'Help with this payment',
      ...order.slice(8),
    ])
    await buyer.page.locator('.wallet').focus()
    await buyer.page.keyboard.press('Enter')
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    expect(await focusedText(buyer.page)).toBe('Payment sent')
    await buyer.close()
  })

  it('sends once, however often the button is pressed', async () => {
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

  it('on another network: names both, switches, and goes on by itself', async () => {
    const buyer = await stage.begin('elsewhere', {
      purse: { ETH: 1 },
      token: 'ETH',
      wallet: { chainId: 1, knows: [31337] },
    })
    await buyer.pay()
    await buyer.page.getByRole('heading', { name: 'Your wallet is on another network' }).waitFor()
    expect(await buyer.page.locator('.head p').innerText()).toContain(
      'is on Ethereum; this payment is on Local chain',
    )
    await buyer.page.getByRole('button', { name: 'Switch to Local chain' }).click()
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    expect(buyer.wallet.count('eth_sendTransaction')).toBe(1)
    await buyer.close()
  })

  it('on a network the wallet does not know: has it added with the right id', async () => {
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
    expect(await buyer.page.locator('.head p').innerText()).toContain('31337')
    await buyer.wallet.moveTo(31337)
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    await buyer.close()
  })
})

const nameOfFocus = `(document.activeElement.textContent || document.activeElement.value || '').trim()`
