import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { SchemaWriter } from '../apps/server/src/app/openapi/describe-schema.ts'
import { listProductsQuery } from '../packages/protocol/src/api/inventory.ts'
import { namedSchemas } from '../packages/protocol/src/api/named.ts'
import {
  exportReceiptsQuery,
  listReceiptsQuery,
  receiptSummaryQuery,
} from '../packages/protocol/src/api/receipts/filters.ts'
import { receiptTimeline } from '../packages/protocol/src/api/receipts/timeline.ts'
import { deliveriesQuery } from '../packages/protocol/src/api/webhooks.ts'
import { errorStatus } from '../packages/protocol/src/errors.ts'
import { receiptStatuses } from '../packages/protocol/src/receipt-status.ts'
import { repositoryRoot } from './source/list-files.ts'
import { printType } from './source/print-type.ts'
import { writeOrCheck } from './source/write-or-check.ts'

const file = 'packages/sdk/src/wire.ts'
const head = `// Written by \`node scripts/write-sdk-types.ts\` from the schemas of packages/protocol; \`npm run check\` holds it.
// biome-ignore-all lint: generated
`

writeOrCheck({ [file]: writeTypes() })

function writeTypes(): string {
  const writer = new SchemaWriter(namedSchemas)
  const all = {
    ...namedSchemas,
    ListReceiptsQuery: listReceiptsQuery,
    ReceiptSummaryQuery: receiptSummaryQuery,
    ExportReceiptsQuery: exportReceiptsQuery,
    ReceiptTimeline: receiptTimeline,
    ListProductsQuery: listProductsQuery,
    DeliveriesQuery: deliveriesQuery,
  }
  const text = [
    union('ErrorCode', 'The value of `error` in an error answer.', Object.keys(errorStatus)),
    union('ReceiptStatus', 'Where a receipt stands.', receiptStatuses),
    ...Object.entries(all).map(
      ([name, schema]) =>
        `/** The API's \`${name}\`. */\nexport type ${name} = ${printType(writer.writeInFull(schema))}`,
    ),
  ].join('\n\n')
  return format(`${head}\n${text}\n`)
}

function union(name: string, comment: string, values: readonly string[]): string {
  return `/** ${comment} */\nexport type ${name} = ${values.map((value) => `'${value}'`).join(' | ')}`
}

function format(text: string): string {
  const outcome = spawnSync(
    join(repositoryRoot, 'node_modules/.bin/biome'),
    ['format', '--stdin-file-path', file],
    {
      cwd: repositoryRoot,
      input: text,
      encoding: 'utf8',
    },
  )
  if (outcome.status !== 0) throw new Error(outcome.stderr)
  return outcome.stdout
}
