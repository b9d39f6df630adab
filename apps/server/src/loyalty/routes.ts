import { loyaltyQuery, loyaltyResponse } from '@sluice/protocol/api/loyalty.ts'
import { formatUnits } from '@sluice/protocol/money.ts'
import { parseWallet } from '@sluice/protocol/wallet.ts'
import { merchantOf } from '../access/caller.ts'
import { type Route, route } from '../access/route.ts'
import { invalidInput } from '../kernel/api-error.ts'
import type { Database } from '../platform/database/database.ts'
import { findPoints } from './points.ts'

export function loyaltyRoutes({ db }: { readonly db: Database }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/loyalty',
      access: {
        kind: 'key-or-session',
        scope: 'receipts:read',
        roles: ['owner', 'admin', 'developer', 'cashier', 'viewer'],
      },
      description:
        'Retrieve the points of a wallet. Returns the points that the wallet earned by paying you, minus the points of refunded receipts.',
      query: loyaltyQuery,
      responses: { 200: loyaltyResponse },
      async handle({ caller, query }) {
        const wallet = parseWallet(query.wallet)
        if (!wallet)
          throw invalidInput({ path: 'wallet', message: 'must be 0x followed by 40 hexadecimal digits' })
        const { points, receipts } = await findPoints(db, merchantOf(caller), wallet)
        const body = { wallet, points: Number(formatUnits(points, 2)), receipts: Number(receipts) }
        return { status: 200, body }
      },
    }),
  ]
}
