import { failures } from '@sluice/protocol/failure-catalogue.ts'
import type { FailureCode } from '@sluice/protocol/failures.ts'
import { networks } from '@sluice/protocol/networks/list.ts'
import { failingCards, payingCard } from '@sluice/protocol/test-cards.ts'
import { tokenKinds, tokenSymbols } from '@sluice/protocol/tokens/list.ts'
import { verifySnippets } from '../apps/dashboard/src/screens/developers/verify-snippets.ts'
import { groupDigits, testAccounts } from '../apps/server/src/onramp/sandbox/test-cards.ts'
import { alternatives } from '../apps/server/src/platform/settings/setting.ts'
import { readIfThere, writeOrCheck } from './source/write-or-check.ts'

/** Content between `<!-- name -->` and `<!-- / -->` in the documents. */
const lists: Readonly<Record<string, string>> = {
  networks: networks.map(({ id, name }) => `${name} (${id})`).join(', '),
  'network-tokens': listTokens(),
  tokens: tokenSymbols.join(', '),
  'token-symbols': alternatives(tokenSymbols.map((symbol) => `\`${symbol}\``)),
  'test-cards': listCards(),
  'test-accounts': listAccounts(),
  'verify-ts': fence('ts file=verify.ts', verifySnippets.typeScript),
  'verify-python': fence('python file=verify.py', verifySnippets.python),
  'verify-php': fence('php file=verify.php', verifySnippets.php),
  'verify-js': fence('sh', `cat > verify.mjs <<'END'\n${withoutTypes(verifySnippets.typeScript)}\nEND`),
}

const documents = [
  'README.md',
  'docs/reference/api.md',
  ...['card-sandbox', 'chain', 'concepts', 'quickstart', 'splits', 'webhooks'].map(
    (name) => `docs/${name}.md`,
  ),
]

writeOrCheck(Object.fromEntries(documents.map((path) => [path, fill(readIfThere(path) ?? '')])))

function fill(text: string): string {
  return text.replace(/(<!-- ([a-z-]+) -->).*?(<!-- \/ -->)/gs, (whole, start: string, name: string, end) => {
    const list = lists[name]
    return list === undefined ? whole : `${start}${list}${end}`
  })
}

function listTokens(): string {
  const usual = new Map<string, number>(tokenKinds.map(({ symbol, decimals }) => [symbol, decimals]))
  const rows = networks.flatMap(({ id, name, use, nativeToken, tokens }) => {
    const named = Object.entries(tokens).map(([symbol, { decimals }]) =>
      decimals === usual.get(symbol) ? symbol : `${symbol} (${decimals} decimals)`,
    )
    return use === 'local' ? [] : [`| ${name} | ${id} | ${nativeToken} | ${named.join(', ')} |`]
  })
  return `\n| Network | \`CHAIN_ID\` | Native token | Other tokens |\n|---|---|---|---|\n${rows.join('\n')}\n`
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

function fence(info: string, code: string): string {
  return `\n\n\`\`\`${info}\n${code}\n\`\`\`\n\n`
}

/** Removes the types, for Node.js versions without type stripping. */
function withoutTypes(code: string): string {
  return code
    .replace(/^import type .*\n/m, '')
    .replaceAll(/: (string|Buffer|IncomingHttpHeaders|boolean)\b/g, '')
}
