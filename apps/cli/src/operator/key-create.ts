import type { Scope } from '@sluice/protocol/api/access.ts'
import type { Command, Input } from '../../../../packages/cli/src/command.ts'
import { CliFailure, exitCodes, usageError } from '../../../../packages/cli/src/failure.ts'
import { merchantOf, withOperator } from './open-operator.ts'

export const keyCreate: Command = {
  path: ['key', 'create'],
  summary: 'Creates a subscription for a merchant and shows its two keys once',
  options: {
    merchant: {
      value: 'WALLET',
      help: 'wallet of the merchant (default: the demo merchant of a local service)',
    },
    name: { value: 'TEXT', help: 'name of the subscription (default: Command line)' },
    scopes: { value: 'LIST', help: 'comma-separated scopes, such as receipts:read (default: all)' },
  },
  details: 'Changes the database directly. Run it on the machine of the service with its settings.',
  async run({ env, out }, input) {
    const { modeOfChain } = await import('@sluice/server/src/access/keys/api-key.ts')
    const { appendAudit } = await import('@sluice/server/src/access/audit/append-audit.ts')
    const { createSubscription } = await import('@sluice/server/src/access/keys/create-subscription.ts')
    const { findMerchant } = await import('@sluice/server/src/merchants/merchant-store.ts')
    const merchant = await merchantOf(env, input)
    const { scopes: allScopes } = await import('@sluice/protocol/api/access.ts')
    const scopes = readScopes(input, allScopes)
    const name = input.text('name') ?? 'Command line'
    if (name.length > 200) throw usageError('--name must have 1 to 200 characters')
    const made = await withOperator(env, input, ({ db, ...operator }) =>
      db.transaction(async (tx) => {
        if (!(await findMerchant(tx, merchant)))
          throw new CliFailure(
            exitCodes.failed,
            `There is no merchant ${merchant}`,
            'Run: merchant list',
            'not_found',
          )
        const mode = modeOfChain(operator.chainId)
        const subscription = await createSubscription({ ...operator, db: tx }, merchant, {
          name,
          mode,
          scopes,
        })
        await appendAudit(
          { ...operator, tx },
          {
            merchant,
            at: operator.clock.now(),
            actor: 'system',
            action: 'subscription.created',
            subject: subscription.id,
            details: { name, scopes: scopes ?? [...allScopes], by: 'command line' },
          },
        )
        return { merchant, name, ...subscription }
      }),
    )
    out.result(made, () =>
      out.fields([
        ['merchant', made.merchant],
        ['subscription', made.id],
        ['primary key', made.primaryKey],
        ['secondary key', made.secondaryKey],
      ]),
    )
    out.note('Store the keys safely: they are not shown again.')
  },
}

function readScopes(input: Input, allScopes: readonly Scope[]): Scope[] | undefined {
  const text = input.text('scopes')
  if (text === undefined) return undefined
  return text.split(',').map((part) => {
    const found = allScopes.find((scope) => scope === part.trim())
    if (!found) throw usageError(`'${part.trim()}' is not a scope`, `Available: ${allScopes.join(', ')}`)
    return found
  })
}
