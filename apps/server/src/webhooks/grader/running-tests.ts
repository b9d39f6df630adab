import type { ReceiverReport } from '@sluice/protocol/api/webhooks.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import { Refusal } from '../../kernel/refusal.ts'

/** How many tests of receivers may run at once in this process; a host has as many connections, and none waits for one. */
export const testLimits = { perMerchant: 1, perHost: 4 } as const

/** About how long the test of a receiver that answers takes, however slowly. */
const againAfterMs = 10_000

/** The tests that are running: whoever repeats them keeps no others from theirs, and sends a stranger's host no flood. */
export class RunningTests {
  readonly #clock: Pick<Clock, 'now'>
  readonly #running = new Set<{ readonly merchant: Wallet; readonly host: string }>()

  constructor(needs: { readonly clock: Pick<Clock, 'now'> }) {
    this.#clock = needs.clock
  }

  /**
   * Runs a test of a merchant's receiver.
   *
   * @throws {Refusal} `rate_limited` where as many as may be are running for the merchant, or at the host.
   */
  async run(
    target: { readonly merchant: Wallet; readonly url: string },
    test: () => Promise<ReceiverReport>,
  ): Promise<ReceiverReport> {
    const own = { merchant: target.merchant, host: new URL(target.url).host }
    const running = [...this.#running]
    const isFull =
      running.filter(({ merchant }) => merchant === own.merchant).length >= testLimits.perMerchant ||
      running.filter(({ host }) => host === own.host).length >= testLimits.perHost
    if (isFull)
      throw new Refusal('rate_limited', 'A test of a webhook endpoint is already running', {
        resetAt: this.#clock.now() + againAfterMs,
      })
    this.#running.add(own)
    try {
      return await test()
    } finally {
      this.#running.delete(own)
    }
  }
}
