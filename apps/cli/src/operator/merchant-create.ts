import type { Command } from '../../../../packages/cli/src/command.ts'
import { CliFailure, exitCodes, usageError } from '../../../../packages/cli/src/failure.ts'
import { readWallet, withOperator } from './open-operator.ts'

export const merchantCreate: Command = {
  path: ['merchant', 'create'],
  args: ['WALLET'],
  summary: 'Creates a merchant, with the wallet as its owner, and its first subscription',
  options: {
    name: { value: 'TEXT', help: 'name of the shop' },
    'no-key': { help: 'do not create a subscription' },
  },
  details: `Changes the database directly. Run it on the machine of the service with its settings. The wallet can then log
in, even with SIGNUPS=invited. The keys are shown once.`,
  async run({ env, out }, input) {
    const { modeOfChain } = await import('@sluice/server/src/access/keys/api-key.ts')
    const { appendAudit } = await import('@sluice/server/src/access/audit/append-audit.ts')
    const { createSubscription } = await import('@sluice/server/src/access/keys/create-subscription.ts')
    const { ensureMerchant, findMerchant } = await import('@sluice/server/src/merchants/merchant-store.ts')
    const { changeShop } = await import('@sluice/server/src/shop/change-shop.ts')
    const wallet = await readWallet(input.args[0] ?? '', 'WALLET')
    const name = input.text('name')
    if (!name || name.length > 200) throw usageError('--name must have 1 to 200 characters')
    const made = await withOperator(env, input, async (operator) => {
      const { db, clock, chainId } = operator
      return db.transaction(async (tx) => {
        if (await findMerchant(tx, wallet))
          throw new CliFailure(
            exitCodes.failed,
            `Merchant ${wallet} already exists`,
            undefined,
            'merchant_exists',
          )
        const needs = { ...operator, db: tx }
        await ensureMerchant(needs, wallet, name)
        await changeShop(needs, wallet, { name })
        const subscription = input.has('no-key')
          ? undefined
          : await createSubscription(needs, wallet, { name: 'First', mode: modeOfChain(chainId) })
        await appendAudit(
          { ...operator, tx },
          {
            merchant: wallet,
            at: clock.now(),
            actor: 'system',
            action: 'merchant.created',
            subject: wallet,
            details: { name, by: 'command line', ...(subscription && { subscription: subscription.id }) },
          },
        )
        return { wallet, name, ...(subscription && { subscription }) }
      })
    })
    out.result(made, () => {
      const { subscription } = made
      out.fields([
        ['merchant', made.wallet],
        ['name', made.name],
        ...(subscription
          ? ([
              ['subscription', subscription.id],
              ['primary key', subscription.primaryKey],
              ['secondary key', subscription.secondaryKey],
            ] as const)
          : []),
      ])
    })
    if (made.subscription) out.note('Store the keys safely: they are not shown again.')
  },
}
