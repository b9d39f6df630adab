import { loadavg } from 'node:os'
import { newWallet } from '../../../apps/server/test/support/api/sessions.ts'
import { openBench } from '../open-bench.ts'
import { logInOperator } from './log-in-operator.ts'
import { measureWebhooks, type WebhooksHow } from './measure-webhooks.ts'
import { areWebhooksReached, printWebhooks, writeWebhooks } from './write-webhooks.ts'

/**
 * Measures webhooks with a service of its own, in which an operator changes statuses; whether their marks are reached.
 *
 * @param options.noise - What befalls a run by chance.
 */
export async function runWebhooks(
  how: WebhooksHow,
  options: { readonly isWritten: boolean; readonly noise: number },
): Promise<boolean> {
  const before = loadavg()[0] ?? 0
  const operator = newWallet()
  const settings = { OPERATOR_WALLETS: operator.wallet }
  const bench = await openBench({ count: 1_000, keyCount: 1, settings })
  try {
    const webhooks = await measureWebhooks(bench, await logInOperator(bench.url, operator), how)
    printWebhooks(webhooks)
    if (options.isWritten) writeWebhooks(webhooks, [before, loadavg()[0] ?? 0])
    return areWebhooksReached(webhooks, options.noise)
  } finally {
    await bench.stop()
  }
}
