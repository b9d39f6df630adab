import { afterEach, describe, expect, it } from 'vitest'
import { plainTheme } from '../../src/pages/theme/page-theme.ts'
import type { BuyerOptions } from '../support/browser/checkout-browser.ts'
import { startCheckoutStage } from '../support/browser/checkout-stage.ts'
import { checkoutStates } from '../support/browser/checkout-states.ts'
import { makeAttempt, tokens, type ViewChanges } from '../support/browser/checkout-views.ts'
import { hostileTheme } from '../support/browser/themes.ts'
import { perFile } from '../support/per-file.ts'

const stage = perFile(() => startCheckoutStage({ walletConnectProject: 'test-project' }))
afterEach(() => {
  stage.harness.looks.theme = plainTheme
})

/** Texts that run a script or change the style of a page that does not escape them. */
const evil = [
  `</title></style></textarea></template><script>ran('tag')</script>`,
  `"><img src=x onerror=ran('attribute')>`,
  `' onmouseover='ran(1)' autofocus onfocus='ran(2)' x='`,
  `</select></svg><svg onload=ran(3)>`,
  `{brand} <strong>x</strong> '{'{ran}`,
  `javascript:ran(4)`,
  `data:text/html,<script>ran(5)</script>`,
  `]]><style>*{color:red}</style><!--`,
  `");}body{background:url(//evil.example/x)}`,
  `\u202e\u2066\u0000<b>turned</b>`,
]
const all = evil.join(' ')

function hostileView(text: string, changes: ViewChanges, now: number): ViewChanges {
  const attempt = changes.attempt ?? makeAttempt('USDC', now)
  return {
    brandName: text,
    lineItems: [text, text, text].map((label) => ({ label, priceUsd: 1, qty: 2 })),
    chain: { id: 31337, name: text, explorerUrl: 'https://explorer.example' },
    tokens: tokens.map((token) => ({ ...token, name: text })),
    returnUrl: text,
    shopUrl: text,
    currency: 'USD',
    valuation: { currency: 'USD', usdPerUnit: 1, quotedAt: now, provider: text },
    ...changes,
    transactionHash: text,
    failure: { code: text, category: 'system', providerRequestId: text },
    refunds: [{ usd: 1, kind: 'price', isConfirmed: true, transactionHash: text }],
    unmatched: [{ transactionHash: text }],
    attempt: { ...attempt, rate: { ...attempt.rate, provider: text } },
    payment: { ...changes.payment, transactionHash: text, payer: text },
  }
}

/**
 * Runs in the page: opens and focuses every element. Returns the number of injected elements, and the text
 * color.
 */
const touchAll = `(async () => {
  const closed = () => [...document.querySelectorAll('details:not([open]) > summary')].filter((it) => it.checkVisibility())
  for (let i = 0; i < 20 && closed().length > 0; i++) closed()[0].click()
  const takesFocus = 'a, button, input, select, textarea, summary, [tabindex], [onfocus], [autofocus]'
  for (const it of document.querySelectorAll(takesFocus)) {
    it.focus()
    it.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }))
  }
  document.activeElement?.blur()
  await new Promise((resolve) => setTimeout(resolve))
  const inside = '[href^="javascript:" i], [href^="data:" i], [onerror], [onload], [onfocus], [onmouseover]'
  return {
    inside: document.querySelectorAll(inside + ', main script, main style, main b, #panel img[src=x]').length,
    color: document.body.isConnected && getComputedStyle(document.body).color,
  }
})()`

async function openWatched(options: BuyerOptions = {}) {
  const buyer = await stage.open('about:blank', options)
  const { page } = buyer
  const ran: string[] = []
  const asked: string[] = []
  await page.exposeFunction('ran', (what: unknown) => void ran.push(String(what)))
  await page.addInitScript(
    `addEventListener('securitypolicyviolation', ({ violatedDirective }) => ran('report of ' + violatedDirective))`,
  )
  page.on('dialog', (dialog) => void dialog.dismiss().then(() => ran.push('dialog')))
  page.on('request', (request) => asked.push(request.url()))
  return {
    ...buyer,
    async evaluate(where: string) {
      await page.mouse.move(200, 300)
      const { inside, color } = await page.evaluate<{ inside: number; color: string }>(touchAll)
      await page.keyboard.press('Tab')
      expect([where, ran, buyer.problems]).toEqual([where, [], []])
      expect(inside).toBe(0)
      expect(color).not.toBe('rgb(255, 0, 0)')
      const foreign = asked.filter((url) => /^https?:/.test(url) && !url.startsWith(stage.harness.url))
      expect(foreign).toEqual([])
    },
  }
}

describe('what merchants write', () => {
  it('runs nowhere and breaks no policy, in any state of the checkout', async () => {
    stage.harness.looks.theme = hostileTheme(all)
    const { page, evaluate, close } = await openWatched()
    for (const [name, state] of Object.entries(checkoutStates)) {
      if (state.reach || state.apiError) continue
      const { changes = {} } = state
      const url = stage.harness.put(`hostile-${name}`, (now) =>
        hostileView(all, typeof changes === 'function' ? changes(now) : changes, now),
      )
      await page.goto(url)
      await page.locator('h2').first().waitFor()
      await evaluate(name)
    }
    await close()
  })

  it.each(evil)('as an address or a first word runs nowhere either: %j', async (text) => {
    stage.harness.looks.theme = hostileTheme(text)
    const { page, evaluate, close } = await openWatched()
    for (const state of ['pay', 'pending', 'paid', 'failed', 'refunded', 'wrong-token']) {
      const { changes } = checkoutStates[state] ?? {}
      const own = typeof changes === 'function' ? changes(Date.now()) : (changes ?? {})
      await page.goto(stage.harness.put(`word-${state}`, (now) => hostileView(text, own, now)))
      await evaluate(state)
    }
    await close()
  })

  it('is taken for no redirect of a script', async () => {
    const { page, evaluate, close } = await openWatched()
    stage.harness.scripts.set(
      'asks',
      evil.map((url) => `parent.postMessage({ redirect: ${JSON.stringify(url)} }, '*')`).join(';'),
    )
    await page.goto(stage.harness.put('asks', checkoutStates.paid?.changes))
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    await evaluate('onSuccess')
    expect(await page.locator('a[data-return]').count()).toBe(0)
    await close()
  })
})

describe('what stands in the address of a checkout', () => {
  it('runs nowhere, whatever it is', async () => {
    const url = stage.harness.put('asked')
    const { page, evaluate, close } = await openWatched()
    for (const text of evil) {
      const value = encodeURIComponent(text)
      for (const name of ['token', 'lang', 'keep', 'embed']) {
        await page.goto(`${url}?${name}=${value}`)
        await evaluate(`${name}=${text}`)
      }
    }
    await close()
    // A missing page may log only its HTTP status.
    const lost = await openWatched()
    for (const text of evil) {
      const value = encodeURIComponent(text)
      for (const path of [`/pay/${value}`, `/pay/asked?recipient=${value}`]) {
        await lost.page.goto(stage.harness.url + path)
        lost.problems.splice(0)
        await lost.evaluate(path)
      }
    }
    await lost.close()
  })
})

describe('what wallets say', () => {
  /**
   * Runs in the page: a wallet whose responses contain a hostile text. The URL's hash is the index of the
   * text.
   */
  const hostileWallet = (responses: Readonly<Record<string, string>>) => `{
    const text = ${JSON.stringify(evil)}[Number(location.hash.slice(1))]
    const answers = {
      eth_requestAccounts: () => [text], eth_chainId: () => '0x7a69', eth_getBalance: () => '0xffffffffffffffffff',
      eth_call: () => '0xffffffffffffffffff', eth_gasPrice: () => '0x1', eth_getTransactionCount: () => '0x0',
      ${Object.entries(responses)
        .map(([method, response]) => `${method}: () => ${response}`)
        .join(', ')}
    }
    const fail = () => { throw Object.assign(new Error(text), { code: text, data: { code: text, message: text } }) }
    const request = async ({ method }) => (answers[method] ?? fail)()
    for (const icon of [text, 'data:image/svg+xml,' + encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" onload="ran(9)"/>')]) {
      const detail = Object.freeze({ info: { uuid: text + icon, name: text, icon, rdns: text + icon }, provider: { request, on() {}, removeListener() {} } })
      const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
      addEventListener('eip6963:requestProvider', announce)
    }
  }`

  it.each([
    ['as its error', {}, 'The wallet reported an error'],
    ['as the hash of what it sent', { eth_sendTransaction: 'text' }, 'Payment sent'],
    ['as the network it is on', { eth_chainId: 'text' }, undefined],
    ['when it is to switch', { eth_chainId: `'0x1'` }, 'Your wallet is on another network'],
  ])('%s, as name and as icon is text and nothing else, in every wording', async (_where, responses, title) => {
    const { page, evaluate, close } = await openWatched({ initScript: hostileWallet(responses) })
    for (const [i, text] of evil.entries()) {
      const url = stage.harness.put(`wallet-${i}`, (now) => ({ attempt: makeAttempt('ETH', now) }))
      await page.goto(`${url}#${i}`)
      await page.locator('.wallet').nth(1).waitFor()
      const begins = text.replace(/[^ -~]/g, '').slice(0, 8)
      expect(await page.locator('.wallet').first().textContent()).toContain(begins)
      await evaluate('the list')
      await page.locator('.wallet').first().click()
      const heading = page.locator('#stage .head h2', title ? { hasText: title } : {})
      await heading.waitFor()
      await evaluate(String(title))
      if (title === 'Your wallet is on another network') {
        await page.getByRole('button', { name: 'Switch to Local chain' }).click()
        await page.locator('#stage .head h2', { hasText: 'in your wallet' }).waitFor()
        await evaluate('refused')
      }
      await page.reload()
      await page.locator('h2').first().waitFor()
      await evaluate('after a reload')
    }
    await close()
  })
})

it('point 44: none of this leaves an error in the console or a report of the policy', () => {
  expect(stage.problems).toEqual([])
})
