import type { CreateReceiptRequest } from '../../../sdk/src/sluice.ts'
import type { Command, Input, TestContext } from '../command.ts'
import { usageError } from '../failure.ts'
import { showMoney } from '../output.ts'
import { readMoney, readObject } from '../parse-arguments.ts'
import { openSluice } from '../settings.ts'
import { readOptions, receiptOptions } from './options.ts'

export const receiptCreate: Command = {
  path: ['receipt', 'create'],
  summary: 'Creates a receipt and prints the URL where the buyer pays it',
  options: {
    line: {
      value: 'LABEL=AMOUNT',
      isMany: true,
      help: 'line item with the amount of the whole line; negative for a discount',
    },
    currency: { value: 'CODE', help: 'USD (default) or EUR' },
    id: { value: 'ID', help: 'your own id (default: generated)' },
    ...receiptOptions,
    body: { value: 'FILE', help: 'JSON of the request instead of the options above; - reads stdin' },
  },
  examples: [
    'receipt create --line "Espresso beans=38" --line "Welcome discount=-8" --currency EUR',
    'receipt create --line Coffee=3.50 --id table-4 --webhook http://127.0.0.1:9000/hook',
    'receipt create --body receipt.json',
  ],
  async run(context, input) {
    const request = await readRequest(context, input)
    const sluice = openSluice(context.env, input)
    const made = await sluice.receipts.create(request, { signal: context.signal })
    context.out.result(made, () => {
      const { out } = context
      const total = request.lineItems.reduce((sum, line) => sum + (line.amount ?? line.priceUsd ?? 0), 0)
      out.fields([
        ['receipt', made.id],
        ['total', showMoney(request.total ?? request.totalUsd ?? total, request.currency ?? 'USD')],
        ['status', made.status],
        ['pay at', made.paymentUrl],
      ])
    })
  },
}

async function readRequest(context: TestContext, input: Input): Promise<CreateReceiptRequest> {
  const file = input.text('body')
  if (file !== undefined) {
    // Checks only for a JSON object: the service validates the fields and reports better errors.
    const text = file === '-' ? await context.readStdin() : await readText(file)
    return readObject(text, file === '-' ? 'stdin' : file) as CreateReceiptRequest
  }
  const lines = input.texts('line')
  if (lines.length === 0)
    throw usageError('A receipt requires at least one --line', 'For example: --line Coffee=3.50')
  return {
    id: input.text('id') ?? `cli-${crypto.randomUUID()}`,
    currency: (input.text('currency')?.toUpperCase() ?? 'USD') as 'USD' | 'EUR',
    lineItems: lines.map(readLine),
    ...readOptions(input),
  }
}

function readLine(text: string): { label: string; amount: number } {
  const at = text.lastIndexOf('=')
  if (at < 1) throw usageError(`--line '${text}' must be LABEL=AMOUNT, Coffee=3.50 for example`)
  return { label: text.slice(0, at), amount: readMoney(text.slice(at + 1), `--line '${text}'`) }
}

async function readText(path: string): Promise<string> {
  const { readFile } = await import('node:fs/promises')
  return readFile(path, 'utf8').catch((error: Error) => {
    throw usageError(`${path} cannot be read: ${error.message}`)
  })
}
