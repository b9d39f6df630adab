import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import chromium from '@sparticuz/chromium'
import { chromium as playwright } from 'playwright-core'
import { joinService, type LocalAccess, startService } from './run/running-service.ts'
import { repositoryRoot } from './source/list-files.ts'
import { announceWallet } from './web/announce-wallet.ts'

const help = `Usage: npm run picture [-- --data ./data [--url http://…]]

Creates a receipt through the API, opens its checkout in Chromium and saves a screenshot to docs/images/checkout.png.
Without options it starts a service of its own and stops it again.

  --data  data directory of a running local service, with its local.json
  --url   its URL, if local.json names a different one
  --out   a different output file`

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    url: { type: 'string' },
    out: { type: 'string', default: join(repositoryRoot, 'docs/images/checkout.png') },
    help: { type: 'boolean' },
  },
})

if (values.help) {
  console.log(help)
} else {
  const service = values.data === undefined ? await startService() : joinService(values.data, values.url)
  try {
    await takePicture(await createReceipt(service), values.out)
    console.log(`written: ${values.out}`)
  } finally {
    await service.stop()
  }
}

/** Makes a receipt a reader can understand at a glance, and gives the address of its checkout. */
async function createReceipt(service: LocalAccess): Promise<string> {
  const answer = await fetch(`${service.baseUrl}/api/receipts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'ocp-apim-subscription-key': service.subscriptionKey },
    body: JSON.stringify({
      id: 'coffee-1001',
      currency: 'USD',
      lineItems: [
        { label: 'Espresso beans, 1 kg', amount: 76, qty: 2 },
        { label: 'Pour-over kettle', amount: 64.5 },
        { label: 'Welcome discount', amount: -10 },
      ],
    }),
  })
  const body = (await answer.json()) as { paymentUrl?: string }
  if (answer.status !== 201 || !body.paymentUrl)
    throw new Error(`no receipt was made: ${answer.status} ${JSON.stringify(body)}`)
  return body.paymentUrl
}

async function takePicture(url: string, out: string): Promise<void> {
  const browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    args: [...chromium.args, '--no-sandbox'],
    headless: true,
  })
  try {
    const page = await browser.newPage({
      viewport: { width: 1200, height: 860 },
      deviceScaleFactor: 1,
      colorScheme: 'light',
      reducedMotion: 'reduce',
      locale: 'en-GB',
    })
    await page.addInitScript(announceWallet)
    const answer = await page.goto(url, { waitUntil: 'load' })
    if (!answer?.ok()) throw new Error(`the checkout answered ${answer?.status()}`)
    await page.locator('svg').first().waitFor()
    await page.getByRole('button', { name: /Example Wallet/ }).waitFor()
    await page.evaluate('document.fonts.ready')
    mkdirSync(dirname(out), { recursive: true })
    await page.screenshot({ path: out, fullPage: true, animations: 'disabled' })
  } finally {
    await browser.close()
  }
}
