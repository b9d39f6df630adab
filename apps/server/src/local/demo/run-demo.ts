import { type Cents, writeCents } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { type Clock, systemClock, wait } from '../../kernel/clock.ts'
import { randomUuid, systemRandom } from '../../kernel/random.ts'
import { demoCheckoutPath } from '../../pages/site/register-site.ts'
import { HttpOutbound } from '../../platform/outbound/http-outbound.ts'
import { type Buyer, type Mined, openBuyer } from './buyer.ts'
import { ApiClient } from './client.ts'
import { type ReceivedEvent, type Receiver, startReceiver } from './receiver.ts'
import { type Environment, findService } from './service.ts'

const purchases: readonly Purchase[] = [
  { name: 'USDC by call', token: 'USDC', way: 'call', cents: 4_250n },
  { name: 'USDC by transfer', token: 'USDC', way: 'transfer', cents: 1_999n },
  { name: 'ETH by call', token: 'ETH', way: 'call', cents: 6_000n },
  { name: 'ETH by transfer', token: 'ETH', way: 'transfer', cents: 3_333n },
]

export async function runDemo(env: Environment, dataDir: string | undefined): Promise<boolean> {
  const clock = systemClock
  const outbound = new HttpOutbound({ clock }, { targets: 'any', allowHttp: true })
  const receiver = await startReceiver(clock)
  const service = await findService({ clock, outbound, env }, dataDir)
  receiver.trust(service.local.subscriptionKey)
  const timeline = new Timeline(clock)
  try {
    const client = new ApiClient(outbound, service.local)
    const buyer = await openBuyer({ clock, outbound }, service.local)
    const results = await Promise.all(
      purchases.map((purchase) => playPurchase({ clock, client, buyer, receiver, timeline }, purchase)),
    )
    timeline.print((line) => process.stdout.write(`${line}\n`))
    const failed = results.filter((result) => result !== undefined)
    for (const reason of failed) process.stdout.write(`FAILED  ${reason}\n`)
    process.stdout.write(
      failed.length === 0
        ? `\nAll ${purchases.length} purchases were paid, reported, distributed and reconciled.\nTo pay by card with play money, open ${service.local.baseUrl}${demoCheckoutPath}\n`
        : `\n${failed.length} of ${purchases.length} purchases failed.\n`,
    )
    return failed.length === 0
  } finally {
    await receiver.stop()
    await service.stop()
    await outbound.close()
  }
}

export type Purchase = {
  readonly name: string
  readonly token: string
  readonly way: 'call' | 'transfer'
  readonly cents: bigint
}

const stepLimitMs = 60_000

type Needs = {
  readonly clock: Clock
  readonly client: ApiClient
  readonly buyer: Buyer
  readonly receiver: Receiver
  readonly timeline: Timeline
}

export async function playPurchase(needs: Needs, purchase: Purchase): Promise<string | undefined> {
  try {
    await play(needs, purchase)
    return undefined
  } catch (error) {
    const reason = `${purchase.name}: ${error instanceof Error ? error.message : String(error)}`
    needs.timeline.note(purchase.name, `failed: ${reason}`)
    return reason
  }
}

async function play(needs: Needs, purchase: Purchase): Promise<void> {
  const { client, timeline, receiver } = needs
  const note = (what: string, at?: UnixMs) => timeline.note(purchase.name, what, at)
  const id = `demo-${randomUuid(systemRandom).slice(0, 13)}`
  const totalUsd = writeCents(purchase.cents as Cents)
  const receipt = await client.createReceipt({
    id,
    lineItems: [{ label: `Demo purchase, ${purchase.name}`, priceUsd: totalUsd }],
    totalUsd,
    webhook_url: receiver.url,
    transactionId: purchase.name,
  })
  note(`receipt ${id} over $${totalUsd}`)

  const page = await client.getPage(receipt.paymentUrl)
  if (!page.includes(purchase.name)) throw new Error('the checkout page does not show the line')
  note('checkout page opened')

  const mined = await pay(needs, purchase, id)
  const minedAt = needs.clock.now()
  note(`${purchase.token} sent, in block ${mined.block}`)

  await until(needs.clock, 'paid', async () => (await client.getStatus(id)).status !== 'pending')
  note(`paid, ${secondsSince(needs.clock, minedAt)} s after its block was seen`)
  const paid = await eventOf(needs, id, 'paid')
  note('webhook paid received, signature valid', paid.at)

  await until(needs.clock, 'reconciled', async () => (await client.getStatus(id)).status === 'reconciled')
  note(
    `reconciled, ${secondsSince(needs.clock, minedAt)} s after its block: every recipient has its share, final`,
  )
  const reconciled = await eventOf(needs, id, 'reconciled')
  note('webhook reconciled received, signature valid', reconciled.at)

  const rows = (await client.listSplitTransactions()).filter((row) => row.receiptId === id)
  if (rows.length !== 1 || rows[0]?.status !== 'distributed') {
    throw new Error(`split transactions of the receipt: ${JSON.stringify(rows)}`)
  }
  const detail = await client.getReceipt(id)
  if (detail.payment.state !== 'paid') throw new Error(`payment.state is ${detail.payment.state}`)
}

function secondsSince(clock: Clock, start: UnixMs): string {
  return ((clock.now() - start) / 1000).toFixed(1)
}

async function pay(needs: Needs, purchase: Purchase, id: string): Promise<Mined> {
  const attempt = await needs.client.openAttempt(id, purchase.token, needs.buyer.address)
  return purchase.way === 'call' ? needs.buyer.payByCall(attempt) : needs.buyer.payByTransfer(attempt)
}

async function eventOf(needs: Needs, id: string, status: string): Promise<ReceivedEvent> {
  await until(needs.clock, `webhook ${status}`, async () => needs.receiver.find(id, status) !== undefined)
  const message = needs.receiver.find(id, status)
  if (!message?.isGenuine) throw new Error(`the signature of webhook ${status} is not valid`)
  return message
}

async function until(clock: Clock, what: string, isSo: () => Promise<boolean>): Promise<void> {
  const giveUpAt = clock.now() + stepLimitMs
  while (!(await isSo())) {
    if (clock.now() > giveUpAt) throw new Error(`${what}: not within ${stepLimitMs / 1000} s`)
    await wait(clock, 100)
  }
}

export class Timeline {
  readonly #clock: Clock
  readonly #startedAt: UnixMs
  readonly #entries: { at: UnixMs; who: string; what: string }[] = []

  constructor(clock: Clock) {
    this.#clock = clock
    this.#startedAt = clock.now()
  }

  note(who: string, what: string, at: UnixMs = this.#clock.now()): void {
    this.#entries.push({ at, who, what })
  }

  print(write: (line: string) => void): void {
    const width = Math.max(...this.#entries.map((entry) => entry.who.length))
    for (const { at, who, what } of this.#entries.toSorted((a, b) => a.at - b.at)) {
      const seconds = ((at - this.#startedAt) / 1000).toFixed(2).padStart(7)
      write(`${seconds} s  ${who.padEnd(width)}  ${what}`)
    }
  }
}
