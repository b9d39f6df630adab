import { setTimeout as wait } from 'node:timers/promises'
import { failures } from '@sluice/protocol/failure-catalogue.ts'
import type { FailureCode } from '@sluice/protocol/failures.ts'
import type { ReceiptStatusResponse, Sluice } from '../../../sdk/src/sluice.ts'
import type { Command, Input, TestContext } from '../command.ts'
import { CliFailure, exitCodes } from '../failure.ts'
import { readInteger, readMoney } from '../parse-arguments.ts'
import { showStatus } from '../receipt/show-status.ts'
import { openSluice } from '../settings.ts'
import { nameOf, type Outcome, outcomes, readOutcome } from './outcomes.ts'

const pollMs = 250

export const trigger: Command = {
  path: ['trigger'],
  args: ['[OUTCOME]'],
  choices: [...outcomes.keys()],
  summary: 'Pays a receipt in the card sandbox with the outcome that you choose, and shows the result',
  options: {
    receipt: { value: 'ID', help: 'unpaid receipt (default: a new one)' },
    amount: { value: 'AMOUNT', help: 'total of the new receipt in dollars (default 25)' },
    webhook: { value: 'URL', help: 'webhook URL of the new receipt' },
    timeout: { value: 'SECONDS', help: 'give up after this time, with exit code 4 (default 60)' },
  },
  details: `OUTCOME is paid, ach-settled, ach-returned, or a failure code, with or without PORTAL_PAY_. Without OUTCOME, lists
all outcomes. Requires the card sandbox, which a local service has.`,
  examples: [
    'trigger insufficient-funds',
    'trigger PORTAL_PAY_TRANSACTION_BLOCKED --webhook http://127.0.0.1:9000/hook',
  ],
  async run(context, input) {
    const [text] = input.args
    if (text === undefined) return list(context)
    const outcome = readOutcome(text)
    const timeoutMs = (readInteger(input, 'timeout', { min: 1, max: 86_400 }) ?? 60) * 1_000
    const sluice = openSluice(context.env, input)
    const { id, paymentUrl } = await findReceipt(context, sluice, input)
    await pay(context, paymentUrl, outcome)
    const reported = await waitFor(context, sluice, { id, outcome, timeoutMs })
    context.out.result(reported, () => show(context, paymentUrl, reported))
    return exitCodes.done
  },
}

function list({ out }: TestContext): undefined {
  const known = Object.keys(failures).map((code) => ({
    outcome: nameOf(code),
    code,
    reason: failures[code as FailureCode].reason,
  }))
  const others = [
    { outcome: 'paid', code: '', reason: 'The card is charged and the tokens are delivered.' },
    { outcome: 'ach-settled', code: '', reason: 'A bank debit is accepted and settles after some seconds.' },
    {
      outcome: 'ach-returned',
      code: '',
      reason: 'A bank debit is accepted and returned after some seconds.',
    },
  ]
  const all = [...others, ...known]
  out.result({ outcomes: all }, () =>
    out.table(
      ['outcome', 'what happens'],
      all.map(({ outcome, reason }) => [outcome, reason]),
      '',
    ),
  )
}

async function findReceipt(
  context: TestContext,
  sluice: Sluice,
  input: Input,
): Promise<{ id: string; paymentUrl: string }> {
  const { signal } = context
  const known = input.text('receipt')
  if (known !== undefined) {
    const { receiptId, paymentUrl } = await sluice.receipts.get(known, { signal })
    return { id: receiptId, paymentUrl }
  }
  const webhook = input.text('webhook')
  const amount = readMoney(input.text('amount') ?? '25', '--amount')
  const { id, paymentUrl } = await sluice.receipts.create(
    {
      id: `trigger-${crypto.randomUUID()}`,
      lineItems: [{ label: 'Card sandbox', amount }],
      ...(webhook !== undefined && { webhook_url: webhook }),
    },
    { signal },
  )
  return { id, paymentUrl }
}

async function pay(context: TestContext, paymentUrl: string, { form }: Outcome): Promise<void> {
  const { origin, pathname, search } = new URL(paymentUrl)
  const id = pathname.split('/').at(-1)
  const opened = await fetch(`${origin}/api/checkout/${id}/onramp${search}`, {
    method: 'POST',
    signal: context.signal,
  })
  const session = (await opened.json()) as { provider?: string; url?: string; message?: string }
  if (!opened.ok)
    throw new CliFailure(exitCodes.failed, session.message ?? `The service returned status ${opened.status}`)
  if (session.provider !== 'sandbox' || session.url === undefined)
    throw new CliFailure(
      exitCodes.failed,
      `The card provider of this service is ${session.provider}, not the sandbox`,
      'A local service has the sandbox. ONRAMP_PROVIDER=sandbox selects it if there are several providers.',
    )
  const response = await fetch(session.url, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: new URL(session.url).origin },
    body: new URLSearchParams(form),
    signal: context.signal,
  })
  if (response.status !== 303)
    throw new CliFailure(exitCodes.failed, `The sandbox returned status ${response.status}`)
}

type Awaited = { readonly id: string; readonly outcome: Outcome; readonly timeoutMs: number }

async function waitFor(
  { out, signal }: TestContext,
  sluice: Sluice,
  { id, outcome, timeoutMs }: Awaited,
): Promise<ReceiptStatusResponse> {
  const endsAt = performance.now() + timeoutMs
  let before = ''
  for (;;) {
    const reported = await sluice.receipts.getStatus(id, { signal })
    if (reported.status !== before) out.note(`${id}  ${showStatus(out, reported.status)}`)
    before = reported.status
    // The receipt may still have the failure code of an earlier attempt.
    const isIt =
      outcome.becomes.includes(reported.status) && (reported.failureCode ?? undefined) === outcome.code
    if (isIt) return reported
    if (performance.now() > endsAt)
      throw new CliFailure(
        exitCodes.waited,
        `Receipt ${id} did not become ${outcome.becomes[0]} in time`,
        undefined,
        'timeout',
      )
    await wait(pollMs, undefined, { signal })
  }
}

function show({ out }: TestContext, paymentUrl: string, reported: ReceiptStatusResponse): void {
  const rows: readonly (readonly [string, string | null])[] = [
    ['receipt', reported.id],
    ['status', reported.status],
    ['failure code', reported.failureCode],
    ['category', reported.failureCategory],
    ['reason', reported.failureReason],
    ['action', reported.failureAction],
    ['provider code', reported.providerErrorCode],
    ['provider reference', reported.providerRequestId],
    ['checkout', paymentUrl],
  ]
  out.fields(rows.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])))
}
