import { demoShop } from './demo-shop.ts'
import type { LocalJson } from './local-settings.ts'

/** Tells a person at a terminal where to go now. Holds no key: those are in the file it names. */
export function printWelcome(
  local: LocalJson,
  at: { localJsonPath: string; checkoutUrl: string | undefined },
  print: (text: string) => void,
): void {
  const rows: readonly (readonly [string, string] | undefined)[] = [
    at.checkoutUrl === undefined ? undefined : ['Checkout', at.checkoutUrl],
    ['Shop', `${local.baseUrl}/shop/${demoShop.slug}`],
    ['Start page', local.baseUrl],
    ['API reference', `${local.baseUrl}/docs`],
    ['Keys, wallets', at.localJsonPath],
    ['Local chain', `${local.rpcUrl}  (chain id ${local.chainId})`],
    ['Merchant', local.merchant.address],
    ['Buyer', local.buyer.address],
    ['Split', local.split],
    ...Object.entries(local.tokens),
  ]
  const lines = rows.flatMap((row) => (row ? [`  ${row[0].padEnd(15)}${row[1]}`] : []))
  print(
    [
      '',
      `  Sluice is ready at ${local.baseUrl}`,
      '',
      ...lines,
      '',
      '  All tokens here are test tokens. The checkout also takes play cards: choose `Pay by card or bank`.',
      '  `npm run demo` in another terminal shows complete purchases, `npm run cli -- trigger` every way a card ends.',
      '  Press Ctrl-C to stop everything.',
      '',
      '',
    ].join('\n'),
  )
}
