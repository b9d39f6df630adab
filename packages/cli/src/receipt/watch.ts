import { setTimeout as wait } from 'node:timers/promises'
import { receiptStatuses } from '@sluice/protocol/receipt-status.ts'
import type { ReceiptDetail, ReceiptStatus, Sluice } from '../../../sdk/src/sluice.ts'
import type { Command, Input } from '../command.ts'
import { CliFailure, exitCodes, usageError } from '../failure.ts'
import { showTime } from '../output.ts'
import { readInteger } from '../parse-arguments.ts'
import { openSluice } from '../settings.ts'
import { showStatus } from './show-status.ts'

const pollMs = 1_000

export const receiptWatch: Command = {
  path: ['receipt', 'watch'],
  args: ['ID'],
  summary: 'Follows a receipt until it is paid, and prints each change of its status and payment',
  options: {
    until: {
      value: 'STATUS',
      help: 'status to wait for: paid (default) or reconciled (the money is distributed)',
    },
    timeout: { value: 'SECONDS', help: 'give up after this time, with exit code 4 (default 900)' },
  },
  details: 'Exits with code 1 if the receipt fails. With --json: one line per change.',
  async run({ env, out, signal }, input) {
    const [id = ''] = input.args
    const until = readStatus(input)
    const timeoutMs = (readInteger(input, 'timeout', { min: 1, max: 1_000_000 }) ?? 900) * 1000
    const endsAt = performance.now() + timeoutMs
    for await (const receipt of changesOf(openSluice(env, input), id, signal, endsAt)) {
      const { status, payment, transactionHash } = receipt
      out.result({ at: Date.now(), id, status, payment, transactionHash }, () => {
        const money = payment.token ? `${payment.received} of ${payment.due} ${payment.token}` : ''
        out.line(`${showTime(Date.now())}  ${showStatus(out, status)}  ${payment.state}  ${money}`.trimEnd())
      })
      if (status === until || (status === 'reconciled' && until === 'paid')) return exitCodes.done
      if (status === 'failed')
        throw new CliFailure(
          exitCodes.failed,
          `Receipt ${id} failed`,
          '`receipt get` shows the reason.',
          'receipt_failed',
        )
    }
    throw new CliFailure(
      exitCodes.waited,
      `Receipt ${id} did not become ${until} in time`,
      undefined,
      'timeout',
    )
  },
}

async function* changesOf(
  sluice: Sluice,
  id: string,
  signal: AbortSignal,
  endsAt: number,
): AsyncGenerator<ReceiptDetail> {
  let before = ''
  for (;;) {
    const receipt = await sluice.receipts.get(id, { signal })
    const { status, payment } = receipt
    const now = [status, payment.state, payment.receivedRaw].join()
    if (now !== before) yield receipt
    before = now
    const leftMs = endsAt - performance.now()
    if (leftMs <= 0) return
    await wait(Math.min(pollMs, leftMs), undefined, { signal })
  }
}

function readStatus(input: Input): ReceiptStatus {
  const text = input.text('until') ?? 'paid'
  const found = receiptStatuses.find((status) => status === text)
  if (!found) throw usageError(`--until must be one of ${receiptStatuses.join(', ')}`)
  return found
}
