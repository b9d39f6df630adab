import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { readLedger } from './split-model.ts'
import { textOfRecipients } from './split-plan.ts'
import type { World } from './world.ts'

/** Returns what a split received or paid out by the chain and differently by the service, or a change that is due. */
export async function findSplitUnrest(world: World, db: Database): Promise<string | undefined> {
  const { contracts, clock, model } = world
  const rows = await db.rows<Ledger>(ledgers)
  const known = new Map(rows.map((row) => [`${row.split} ${row.token}`, row]))
  for (const split of model.options.contracts.splits.keys())
    for (const token of [nativeAddress, ...Object.values(contracts.tokens)]) {
      const { held, released, recipients } = readLedger(
        model.options.contracts,
        model.head.state,
        split,
        token,
      )
      const row = known.get(`${split} ${token}`)
      const name = `the split ${split}`
      if ((row?.received ?? 0n) !== held + released)
        return `${name} received ${held + released} of ${token}, and its ledger has ${row?.received}`
      if ((row?.released ?? 0n) !== released)
        return `${name} paid ${released} of ${token}, and its ledger has ${row?.released}`
      if (held > BigInt(recipients.length)) return `${held} units of ${token} are left in ${name}`
      if (row && world.owners.has(split) && row.merchant !== world.ownerOf(split))
        return `the ledger of ${row.merchant} has money of ${name}`
    }
  const due = await db.row<{ version: bigint }>({ name: 'rest-split-change', text: dueChange }, [clock.now()])
  return due && `version ${due.version} of a split is due and does not take over`
}

/** Returns an offer to pay recipients that its merchant did not want, not yet, or not any more. */
export function findWrongOffer(world: World, split: Wallet): string | undefined {
  const recipients = world.model.options.contracts.splits.get(split)
  if (!recipients) return `a page offers to pay ${split}, which is no split`
  if (world.plans.length === 0) return undefined
  const text = textOfRecipients(recipients)
  const plans = world.plans.filter((plan) => plan.recipients === text)
  if (plans.length === 0) return `a page offers to pay ${text}, which nobody wanted`
  if (plans.every(({ isCancelled }) => isCancelled))
    return `a page offers to pay ${text}, which was cancelled`
  const isEarly = plans.every(({ notBefore }) => notBefore > world.clock.now())
  return isEarly && !world.wasSkewed ? `a page offers to pay ${text} too early` : undefined
}

type Ledger = {
  readonly merchant: Wallet
  readonly split: Wallet
  readonly token: Wallet
  readonly received: bigint
  readonly released: bigint
}

const ledgers = {
  name: 'rest-ledgers',
  text: `SELECT merchant, split_address AS split, token_address AS token, received::int8 AS received, (
      SELECT coalesce(sum(value::numeric), 0) FROM jsonb_each_text(released))::int8 AS released
    FROM split_ledger`,
}

const dueChange = `SELECT version FROM split_change WHERE effective_at <= $1`
