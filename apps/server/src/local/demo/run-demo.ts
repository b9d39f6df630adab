import { systemClock } from '../../kernel/clock.ts'
import { demoCheckoutPath } from '../../pages/site/home-page.ts'
import { HttpOutbound } from '../../platform/outbound/http-outbound.ts'
import { openBuyer } from './buyer.ts'
import { ApiClient } from './client.ts'
import { type Purchase, playPurchase, Timeline } from './purchase.ts'
import { startReceiver } from './receiver.ts'
import { type Environment, findService } from './service.ts'

const purchases: readonly Purchase[] = [
  { name: 'USDC by call', token: 'USDC', way: 'call', cents: 4_250n },
  { name: 'USDC by transfer', token: 'USDC', way: 'transfer', cents: 1_999n },
  { name: 'ETH by call', token: 'ETH', way: 'call', cents: 6_000n },
  { name: 'ETH by transfer', token: 'ETH', way: 'transfer', cents: 3_333n },
]

/** Plays every purchase at once and tells how it went; `false` where a step failed. */
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
    for (const fault of failed) process.stdout.write(`FAILED  ${fault}\n`)
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
