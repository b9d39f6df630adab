import { splitFactoryAbi } from '@sluice/contracts/abi/SplitFactory.ts'
import { isLocalNetwork } from '@sluice/protocol/networks/list.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { encodeEventTopics, pad } from 'viem'
import type { Chain, Hex } from '../../chain/chain.ts'
import { ChainUnavailable } from '../../chain/chain-time.ts'
import { listFactories } from '../../chain/factory-store.ts'
import { invalidInput } from '../../kernel/api-error.ts'
import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { findCurrentSplit } from '../find-split.ts'
import { isSameRecipients, type Recipient, type Split, type SplitDraft } from '../split.ts'
import { predictSplit, saltsOf } from '../split-address.ts'
import { insertSplit, markDeployed, markReadFrom } from '../store.ts'
import {
  decideRecipients,
  firstVersion,
  type PlatformFee,
  platformTerms,
  type RecipientInput,
  type RecordSplit,
} from './configure-split.ts'
import { readClaimedRecipients } from './probe-recipients.ts'

/**
 * Number of recent blocks that are searched for a salt. For an older contract, the caller must send the salt.
 */
const blocksSearched = 20_000n

export type AdoptNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly chain: Pick<Chain, 'id' | 'factory' | 'callCode' | 'isCorroborated' | 'readHead' | 'readLogs'>
  readonly platform: PlatformFee
}

export type ProvedSplit = {
  readonly address: Wallet
  readonly salt: Hex
  readonly factory: Wallet
  readonly recipients: readonly Recipient[]
}

/**
 * Verifies that an existing contract can become the merchant's first split. Writes nothing.
 *
 * The address must derive from a salt and the recipients in its code. A copy deployed by another party could
 * have prior payments. Two endpoints must agree; one is enough if it runs on this machine. Returns
 * `undefined` if the merchant already has a split.
 *
 * @param input.recipients - Must match the contract, in any order. The platform may be omitted.
 * @param input.salt - If omitted, taken from recent factory events.
 * @throws {ApiError} `invalid_input`, `platform_recipient_not_configured`.
 * @throws {ChainUnavailable}
 */
export async function proveSplit(
  needs: AdoptNeeds,
  merchant: Wallet,
  input: {
    splitAddress: string
    recipients?: readonly RecipientInput[] | undefined
    salt?: string | undefined
  },
): Promise<ProvedSplit | undefined> {
  const { db, chain, platform } = needs
  if (await findCurrentSplit(db, merchant)) return undefined

  const address = parseWallet(input.splitAddress)
  if (!address) throw badAddress('must be 0x followed by 40 hexadecimal digits')
  const salt = parseSalt(input.salt)
  // A single dishonest endpoint could direct payments to an address without a contract.
  if (!chain.isCorroborated) throw new ChainUnavailable(tooFewEndpoints)
  const named = input.recipients && decideRecipients(merchant, platform, input.recipients)
  const recipients = await readClaimedRecipients(chain, address)
  if (!recipients) throw badAddress('is not a split of this service on this chain')
  refuseOthers(merchant, platform, recipients, named)
  const made = { address, recipients, factories: await listFactories(db, chain) }
  const proved = salt ? proveMade(made, [salt]) : await findSalt(chain, merchant, made)
  if (!proved) throw badAddress(salt ? 'was not created by our factory with this salt' : noSaltFound)
  return { address, recipients, ...proved }
}

/**
 * Stores a verified contract as the merchant's first split. Safe to repeat.
 *
 * If the merchant already has a split, the split is kept and `idempotent` is true.
 *
 * @param record - Called in the same transaction.
 * @throws {ApiError} `invalid_input` if the contract belongs to another merchant.
 */
export async function adoptSplit(
  needs: Pick<AdoptNeeds, 'db' | 'clock' | 'platform'> & { readonly chain: Pick<Chain, 'id'> },
  merchant: Wallet,
  proved: ProvedSplit | undefined,
  record: RecordSplit = async () => {},
): Promise<{ split: Split; idempotent: boolean }> {
  const { db, chain, platform } = needs
  const existing = await findCurrentSplit(db, merchant)
  if (existing) return { split: existing, idempotent: true }
  assert(proved, 'a split is never removed')

  const now = needs.clock.now()
  const { address, salt, factory, recipients } = proved
  const version = firstVersion
  const draft: SplitDraft = {
    ...platformTerms(platform),
    ...{ merchant, version, chain: chain.id, address, salt, factory, recipients },
    ...{ state: 'in-force', effectiveAt: now, createdAt: now },
  }
  const made = await db.transaction(async (tx) => {
    const outcome = await insertSplit(tx, draft)
    if (outcome !== 'stored') return outcome
    await markDeployed(tx, chain.id, { merchant, version, address }, { at: now, tx: undefined })
    await markReadFrom(tx, chain.id, address)
    await record(tx, draft)
    return outcome
  })
  if (made === 'address-taken') throw badAddress('belongs to another merchant')
  const split = await findCurrentSplit(db, merchant)
  assert(split, 'the split was stored, by this request or a concurrent one')
  return { split, idempotent: made === 'exists' }
}

const tooFewEndpoints =
  'An existing contract must be confirmed by RPC endpoints of two hosts; this service has too few'

const noSaltFound =
  'is not a split of this service on this chain; if it was deployed some time ago, send the salt it was created with'

/** @throws {ApiError} `invalid_input` if the contract's recipients are not allowed. */
function refuseOthers(
  merchant: Wallet,
  platform: PlatformFee,
  recipients: readonly Recipient[],
  named: readonly Recipient[] | undefined,
): void {
  const total = recipients.reduce((sum, { sharesBps }) => sum + sharesBps, 0)
  const { platformRecipient, feeBps } = platformTerms(platform)
  const ofPlatform = recipients.find(({ address }) => address === platformRecipient)
  if (total !== 10_000) throw badAddress('has shares that do not add up to 10000')
  if (feeBps > 0 && ofPlatform?.sharesBps !== feeBps)
    throw badAddress(`does not give the platform its share of ${feeBps} basis points`)
  const others = recipients.filter((recipient) => recipient !== ofPlatform)
  decideRecipients(merchant, platform, feeBps > 0 ? others : recipients)
  if (named && !isSameRecipients(named, recipients))
    throw invalidInput({ path: 'recipients', message: 'do not match the contract at splitAddress' })
}

async function findSalt(
  chain: AdoptNeeds['chain'],
  merchant: Wallet,
  made: MadeSplit,
): Promise<{ salt: Hex; factory: Wallet } | undefined> {
  const own = proveMade(made, saltsOf({ merchant, version: firstVersion }))
  if (own) return own
  const { latest } = await chain.readHead()
  const first = isLocalNetwork(chain.id) ? 0n : latest.number - blocksSearched
  const logs = await chain.readLogs({
    from: first < 0n ? 0n : first,
    to: latest.number,
    addresses: made.factories,
    topics: [splitCreatedTopic, pad(made.address).toLowerCase() as Hex],
  })
  return proveMade(
    made,
    logs.flatMap(({ topics }) => topics[2] ?? []),
  )
}

type MadeSplit = {
  readonly address: Wallet
  readonly recipients: readonly Recipient[]
  readonly factories: readonly Wallet[]
}

function proveMade(
  { address, recipients, factories }: MadeSplit,
  salts: readonly Hex[],
): { salt: Hex; factory: Wallet } | undefined {
  for (const salt of salts) {
    const factory = factories.find((each) => predictSplit(each, recipients, salt) === address)
    if (factory) return { salt, factory }
  }
  return undefined
}

const [splitCreatedTopic] = encodeEventTopics({ abi: splitFactoryAbi, eventName: 'SplitCreated' }) as [Hex]

function parseSalt(text: string | undefined): Hex | undefined {
  if (text === undefined || /^0x[0-9a-fA-F]{64}$/.test(text)) return text?.toLowerCase() as Hex | undefined
  throw invalidInput({ path: 'salt', message: 'must be 0x followed by 64 hexadecimal digits' })
}

function badAddress(message: string) {
  return invalidInput({ path: 'splitAddress', message })
}
