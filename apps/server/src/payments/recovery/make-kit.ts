import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Chain, Hex } from '../../chain/chain.ts'
import type { Clock } from '../../kernel/clock.ts'
import { int8, optional, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { listSplitVersions } from '../../split/find-split.ts'
import type { Split } from '../../split/split.ts'
import { findSplitOwners, listSplitAddresses } from '../../split/store.ts'

export type KitNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly chain: Pick<Chain, 'id' | 'factory' | 'tokens'>
}

/** Numbers and references of a split's attempts, for the deposit addresses of one factory. */
type KitAttempts = {
  readonly factory: Wallet
  /** Ascending: the first number, then the difference to each next number, in base 36. */
  readonly numbers: string
  /** References that do not derive from the recovery seed. */
  readonly references: readonly Hex[]
}

/** Contents of the recovery kit: with the recovery seed, every deposit address follows from it. */
export type RecoveryKit = {
  readonly kind: 'sluice-recovery-kit'
  readonly version: 1
  readonly writtenAt: string
  /** Creation of the oldest split. */
  readonly since: string
  readonly chainId: number
  readonly factory: Wallet
  readonly tokens: readonly { readonly symbol: string; readonly address: Wallet; readonly decimals: number }[]
  /** `false` if older attempts are omitted. */
  readonly isComplete: boolean
  readonly splits: readonly (Pick<Split, 'merchant' | 'address' | 'factory' | 'salt' | 'recipients'> & {
    readonly version: number
    readonly attempts: readonly KitAttempts[]
  })[]
}

const attemptsPerPage = 5_000
/** Limits of a kit, which then has about 10 MB. The newest attempts of each merchant are included. */
export const kitLimits = { attemptsPerMerchant: 200_000, attempts: 1_000_000 }

/** Reads the recovery kit of the chain. It contains no secret. */
export async function makeKit(
  { db, clock, chain }: KitNeeds,
  limits = kitLimits,
  signal?: AbortSignal,
): Promise<RecoveryKit> {
  const writtenAt = clock.now()
  const owners = await findSplitOwners(db, chain.id, await listSplitAddresses(db, chain.id))
  const splits: RecoveryKit['splits'][number][] = []
  let [since, left, isComplete]: [UnixMs, number, boolean] = [writtenAt, limits.attempts, true]
  for (const merchant of new Set(owners.map((owner) => owner.merchant))) {
    signal?.throwIfAborted()
    const limit = Math.min(left, limits.attemptsPerMerchant)
    const read = await readOrigins(db, { merchant, chain: chain.id }, limit)
    left -= read.origins.length
    isComplete &&= read.isComplete
    for (const split of await listSplitVersions(db, merchant)) {
      if (split.chain !== chain.id) continue
      if (split.createdAt < since) since = split.createdAt
      const own = read.origins.filter(({ splitAddress }) => splitAddress === split.address)
      splits.push({
        merchant,
        version: Number(split.version),
        address: split.address,
        factory: split.factory,
        salt: split.salt,
        recipients: split.recipients,
        attempts: [...new Set(own.map(({ factory }) => factory))].map((factory) =>
          packAttempts(
            factory,
            own.filter((origin) => origin.factory === factory),
          ),
        ),
      })
    }
  }
  return {
    kind: 'sluice-recovery-kit',
    version: 1,
    writtenAt: new Date(writtenAt).toISOString(),
    since: new Date(since).toISOString(),
    chainId: chain.id,
    factory: chain.factory,
    tokens: chain.tokens.map(({ symbol, address, decimals }) => ({ symbol, address, decimals })),
    isComplete,
    splits,
  }
}

type Origin = {
  readonly id: string
  readonly number: bigint | undefined
  readonly reference: Hex
  readonly factory: Wallet
  readonly splitAddress: Wallet
}

async function readOrigins(
  db: Database,
  of: { readonly merchant: Wallet; readonly chain: number },
  limit: number,
): Promise<{ origins: Origin[]; isComplete: boolean }> {
  const origins: Origin[] = []
  for (let before = '~'; ; ) {
    const page = await db.rows(list({ ...of, before, limit: attemptsPerPage }))
    origins.push(...page.slice(0, limit - origins.length))
    before = page.at(-1)?.id ?? ''
    if (page.length < attemptsPerPage || origins.length >= limit)
      return { origins, isComplete: origins.length < limit || page.length === 0 }
  }
}

function packAttempts(factory: Wallet, origins: readonly Origin[]): KitAttempts {
  const numbers = origins.flatMap(({ number }) => number ?? []).sort((a, b) => (a < b ? -1 : 1))
  return {
    factory,
    numbers: packNumbers(numbers),
    references: origins.flatMap(({ number, reference }) => (number === undefined ? reference : [])),
  }
}

export function packNumbers(numbers: readonly bigint[]): string {
  return numbers.map((number, i) => (number - (numbers[i - 1] ?? 0n)).toString(36)).join(' ')
}

// Ids begin with the time of creation.
const list = statement({
  name: 'list-attempt-origins',
  reads: {
    id: text(),
    number: optional(int8()),
    reference: text<Hex>(),
    factory: text<Wallet>(),
    splitAddress: text<Wallet>(),
  },
  text: `SELECT id, number, reference, factory, split_address FROM attempt
    WHERE merchant = :merchant AND chain = :chain AND id < :before ORDER BY id DESC LIMIT :limit`,
})
