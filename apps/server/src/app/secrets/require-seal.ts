import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import { apiKeyContext, Secrets } from '../../platform/secrets.ts'
import { ConfigError } from '../../platform/settings/config.ts'
import {
  insertSeal,
  listFollowedChains,
  listNewestKeys,
  lockSeal,
  replaceSeal,
  type Seal,
  type SealedKey,
} from './seal-store.ts'

type Needs = { readonly db: Database; readonly clock: Clock; readonly secrets: Secrets }

const sampleSize = 100

/**
 * Rejects a database of another chain, or with secrets that the master key does not decrypt.
 *
 * Adds a seal to a database without one, if the key decrypts at least half of its newest API keys. After a
 * rotation of the master key, updates the seal, which then names the former key.
 *
 * @returns Id of the former master key that may still be needed.
 * @throws {ConfigFault} with instructions.
 */
export async function requireSeal(needs: Needs, chain: number): Promise<string | undefined> {
  const { clock, secrets } = needs
  return needs.db.transaction(async (tx) => {
    if (!(await lockSeal(tx))) await sealFirst({ ...needs, db: tx }, chain)
    const seal = await lockSeal(tx)
    assert(seal, 'a seal that was written is there')
    refuseErrors(findErrors(secrets, seal, chain))
    if (seal.keyId === secrets.keyId) return seal.previousKeyId
    await replaceSeal(tx, sealOf(secrets, chain, seal.keyId), clock.now())
    return seal.keyId
  })
}

export function sealOf(secrets: Secrets, chain: number, previousKeyId: string | undefined): Seal {
  return { chain, keyId: secrets.keyId, previousKeyId, sealed: secrets.seal(content, contextOf(chain)) }
}

const content = 'sluice'

function contextOf(chain: number): string {
  return `database seal\n${chain}`
}

function findErrors(secrets: Secrets, seal: Seal, chain: number): string[] {
  if (seal.chain !== chain) return [otherChain(chain, [seal.chain])]
  const known = [secrets.keyId, ...secrets.oldKeyIds]
  const { keyId, previousKeyId } = seal
  if (!known.includes(keyId) || !isOpened(secrets, seal))
    return [otherMasterKey(`the database names key ${keyId}, but key ${secrets.keyId} is set`)]
  if (previousKeyId === undefined || known.includes(previousKeyId)) return []
  return [
    `SLUICE_MASTER_KEY_OLD is required: this database holds secrets that are encrypted with the previous master key (key ${previousKeyId}). ` +
      'Set it to that key, run `npm run cli -- secrets reseal`, then remove it',
  ]
}

function isOpened(secrets: Secrets, { sealed, chain }: Seal): boolean {
  try {
    return secrets.open(sealed, contextOf(chain)) === content
  } catch {
    return false
  }
}

/** Checks a database without a seal by its newest API keys. */
async function sealFirst({ db, clock, secrets }: Needs, chain: number): Promise<void> {
  const chains = await listFollowedChains(db)
  if (chains.length > 0 && !chains.includes(chain)) refuseErrors([otherChain(chain, chains)])
  const keys = await listNewestKeys(db, sampleSize)
  const openCount = keys.filter((key) => isKeyOpened(secrets, key)).length
  // A start with a wrong key may have created a few keys.
  if (openCount * 2 < keys.length)
    refuseErrors([otherMasterKey(`it decrypts ${openCount} of the newest ${keys.length} API keys`)])
  const previousKeyId = keys.length > 0 ? secrets.oldKeyIds[0] : undefined
  await insertSeal(db, sealOf(secrets, chain, previousKeyId), clock.now())
}

function isKeyOpened(secrets: Secrets, { merchant, id, sealed }: SealedKey): boolean {
  try {
    secrets.open(sealed, apiKeyContext(merchant, id))
    return true
  } catch {
    return false
  }
}

function otherChain(given: number, chains: readonly number[]): string {
  const own = chains.join(' and ')
  return (
    `CHAIN_ID is ${given}, but this database belongs to chain ${own}: set CHAIN_ID to ${own} with its RPC_URLS, ` +
    `or set DATABASE_URL to give chain ${given} a database of its own`
  )
}

function otherMasterKey(seen: string): string {
  return (
    `SLUICE_MASTER_KEY is not the key that this database was encrypted with (${seen}): set the one that the ` +
    'service ran with (a local one keeps it in DATA_DIR/master.key). To rotate it, set the new key and put the previous ' +
    'one into SLUICE_MASTER_KEY_OLD'
  )
}

function refuseErrors(errors: readonly string[]): void {
  if (errors.length > 0) throw new ConfigError(errors)
}

export function secretsOf(
  config: { readonly masterKey: string; readonly oldMasterKey: string | undefined },
  random: Random,
): Secrets {
  return new Secrets(config.masterKey, random, config.oldMasterKey ? [config.oldMasterKey] : [])
}
