import type { Wallet } from '@sluice/protocol/wallet.ts'

/**
 * What the database says of each of `items`, asked one merchant after the other: all rows of one stand together.
 *
 * @param ask - Gives rows that name an item by its place in the list, from 1 on. Others have no answer.
 */
export async function askByMerchant<Item, Row extends { readonly place: bigint }>(
  items: readonly Item[],
  merchantOf: (item: Item) => Wallet,
  ask: (merchant: Wallet, items: readonly Item[]) => Promise<readonly Row[]>,
): Promise<Map<Item, Row>> {
  const answers = new Map<Item, Row>()
  for (const [merchant, own] of Map.groupBy(items, merchantOf))
    for (const row of await ask(merchant, own)) {
      const item = own[Number(row.place) - 1]
      if (item !== undefined) answers.set(item, row)
    }
  return answers
}
