import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { webhookGiveUpMs, webhookTimeoutMs } from '@sluice/protocol/webhook.ts'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../../../../scripts/source/list-files.ts'
import { type LimitName, limitPerMinute } from '../../src/access/rate-rules.ts'
import { defaultBodyLimit } from '../../src/app/http/serve-route.ts'

const guide = readFileSync(join(repositoryRoot, 'docs/reference/limits.md'), 'utf8')

function cellOf(what: string): string {
  const row = guide.split('\n').find((line) => line.startsWith(`| ${what} |`))
  return row?.split('|')[2]?.trim() ?? `there is no row ${what}`
}

test('the limits of requests are those of the code, all of them', () => {
  const rows: Readonly<Record<LimitName, string>> = {
    reads: 'reads',
    writes: 'writes',
    inventoryWrites: 'inventory writes',
    configWrites: 'configuration, keys, members, endpoint tests',
    logins: 'failed logins',
    failedAuthentications: 'failed authentications',
    attemptsPerAddress: 'payment attempts, all receipts',
    pages: 'pages',
    openPages: 'status of open checkouts',
    documents: 'receipts as PDF',
    claims: 'claims of unmatched payments',
    images: 'merchant images',
    storeOrders: 'orders from storefronts',
    probes: 'probes and metrics',
    telemetry: 'checkout telemetry',
    attempts: 'payment attempts',
  }
  for (const [name, what] of Object.entries(rows))
    expect(cellOf(what), what).toBe(limitPerMinute[name as LimitName].toLocaleString('en'))
})

test('sizes and times are those of the code', () => {
  expect(cellOf('request body')).toContain(`${defaultBodyLimit / 1024} KiB`)
  expect(cellOf('webhook response')).toContain(`${webhookTimeoutMs / 1000} seconds`)
  expect(cellOf('webhook retries')).toBe(`${webhookGiveUpMs / 86_400_000} days`)
})
