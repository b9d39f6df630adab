import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { failures } from '@sluice/protocol/failure-catalogue.ts'
import type { FailureCode } from '@sluice/protocol/failures.ts'
import { networks } from '@sluice/protocol/networks/list.ts'
import { tokenSymbols } from '@sluice/protocol/tokens/list.ts'
import {
  failingCards,
  groupDigits,
  payingCard,
  testAccounts,
} from '../apps/server/src/onramp/sandbox/test-cards.ts'
import { alternatives } from '../apps/server/src/platform/settings/alternatives.ts'
import { repositoryRoot } from './source/list-files.ts'

/** What stands between `<!-- name -->` and `<!-- / -->` in the documents. */
const lists: Readonly<Record<string, string>> = {
  networks: networks.map(({ id, name }) => `${name} (${id})`).join(', '),
  'chain-ids': alternatives(networks.map(({ id, name }) => `${id} (${name})`)),
  tokens: tokenSymbols.join(', '),
  'token-symbols': alternatives(tokenSymbols.map((symbol) => `\`${symbol}\``)),
  'test-cards': listCards(),
  'test-accounts': listAccounts(),
}

const documents = ['README.md', 'docs/api.md', 'docs/cards.md', 'docs/operations.md', 'docs/splits.md']

if (process.argv.includes('--help')) {
  console.log(`Usage: node scripts/write-lists.ts [--check]

Writes the lists of networks, tokens and test cards into the documents that name them, between <!-- name --> and <!-- / -->.

  --check  says which are out of date, and writes nothing`)
} else {
  const stale = documents.filter((document) => read(document) !== fill(read(document)))
  if (!process.argv.includes('--check')) {
    for (const document of stale) writeFileSync(join(repositoryRoot, document), fill(read(document)))
    console.log(`${stale.length === 0 ? 'nothing' : stale.join(', ')} written`)
  } else if (stale.length === 0) {
    console.log('lists: the documents name every network, token and test card')
  } else {
    for (const document of stale)
      console.log(`${document}:1  lists: differs from the protocol; run node scripts/write-lists.ts`)
    process.exitCode = 1
  }
}

function fill(text: string): string {
  return text.replace(/(<!-- ([a-z-]+) -->).*?(<!-- \/ -->)/gs, (whole, start: string, name: string, end) => {
    const list = lists[name]
    return list === undefined ? whole : `${start}${list}${end}`
  })
}

function read(document: string): string {
  return readFileSync(join(repositoryRoot, document), 'utf8')
}

function listCards(): string {
  const row = (number: string, what: string) => `| \`${groupDigits(number)}\` | ${what} |`
  const failing = (Object.keys(failures) as FailureCode[]).map((code) =>
    row(failingCards[code], `\`${code}\`: ${failures[code].reason}`),
  )
  const paying = row(payingCard, 'the payment succeeds')
  return `\n| Card | What happens |\n|---|---|\n${[paying, ...failing].join('\n')}\n`
}

function listAccounts(): string {
  const rows = Object.entries(testAccounts).map(([number, outcome]) => {
    const end = outcome.kind === 'settles' ? 'settles' : `is returned: \`${outcome.code}\``
    return `| \`${number}\` | the debit is accepted, and ${end} |`
  })
  return `\n| Account | What happens |\n|---|---|\n${rows.join('\n')}\n`
}
