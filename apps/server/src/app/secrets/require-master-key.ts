import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import { apiKeyContext, Secrets } from '../../platform/secrets.ts'
import { ConfigError } from '../../platform/settings/config.ts'
import {
  type EncryptedKey,
  insertMasterKeyCheck,
  listFollowedChains,
  listNewestKeys,
  lockMasterKeyCheck,
  type MasterKeyCheck,
  replaceMasterKeyCheck,
} from './master-key-store.ts'

type Needs = { readonly db: Database; readonly clock: Clock; readonly secrets: Secrets }

const sampleSize = 100

/**
 * Rejects a database of another chain, or with secrets that the master key does not decrypt.
 *
 * Adds a master key check to a database without one, if the key decrypts at least half of its newest API keys. After a
 * rotation of the master key, updates the check, which then names the former key.
 *
 * @returns Id of the former master key that may still be needed.
 * @throws {ConfigFault} with instructions.
 */
export async function requireMasterKey(needs: Needs, chain: number): Promise<string | undefined> {
  const { clock, secrets } = needs
  return needs.db.transaction(async (tx) => {
    if (!(await lockMasterKeyCheck(tx))) await insertFirstCheck({ ...needs, db: tx }, chain)
    const check = await lockMasterKeyCheck(tx)
    assert(check, 'the database contains a key check')
    refuseErrors(findErrors(secrets, check, chain))
    if (check.keyId === secrets.keyId) return check.previousKeyId
    await replaceMasterKeyCheck(tx, masterKeyCheckOf(secrets, chain, check.keyId), clock.now())
    return check.keyId
  })
}

export function masterKeyCheckOf(
  secrets: Secrets,
  chain: number,
  previousKeyId: string | undefined,
): MasterKeyCheck {
  return { chain, keyId: secrets.keyId, previousKeyId, encrypted: secrets.encrypt(content, contextOf(chain)) }
}

const content = 'sluice'

function contextOf(chain: number): string {
  return `master key check\n${chain}`
}

function findErrors(secrets: Secrets, check: MasterKeyCheck, chain: number): string[] {
  if (check.chain !== chain) return [otherChain(chain, [check.chain])]
  const known = [secrets.keyId, ...secrets.oldKeyIds]
  const { keyId, previousKeyId } = check
  if (!known.includes(keyId) || !isOpened(secrets, check))
    return [otherMasterKey(`the database names key ${keyId}, but key ${secrets.keyId} is set`)]
  if (previousKeyId === undefined || known.includes(previousKeyId)) return []
  return [
    `SLUICE_MASTER_KEY_OLD is required: this database holds secrets that are encrypted with the previous master key (key ${previousKeyId}). ` +
      'Set it to that key, run `npm run cli -- secrets reencrypt`, then remove it',
  ]
}

function isOpened(secrets: Secrets, { encrypted, chain }: MasterKeyCheck): boolean {
  try {
    return secrets.open(encrypted, contextOf(chain)) === content
  } catch {
    return false
  }
}

/** Checks a database without a master key check by its newest API keys. */
async function insertFirstCheck({ db, clock, secrets }: Needs, chain: number): Promise<void> {
  const chains = await listFollowedChains(db)
  if (chains.length > 0 && !chains.includes(chain)) refuseErrors([otherChain(chain, chains)])
  const keys = await listNewestKeys(db, sampleSize)
  const openCount = keys.filter((key) => isKeyOpened(secrets, key)).length
  // A start with a wrong key may have created a few keys.
  if (openCount * 2 < keys.length)
    refuseErrors([otherMasterKey(`it decrypts ${openCount} of the newest ${keys.length} API keys`)])
  const previousKeyId = keys.length > 0 ? secrets.oldKeyIds[0] : undefined
  await insertMasterKeyCheck(db, masterKeyCheckOf(secrets, chain, previousKeyId), clock.now())
}

function isKeyOpened(secrets: Secrets, { merchant, id, encrypted }: EncryptedKey): boolean {
  try {
    secrets.open(encrypted, apiKeyContext(merchant, id))
    return true
  } catch {
    return false
  }
}

function otherChain(given: number, chains: readonly number[]): string {
  const own = chains.join(' and ')
  return (
    `CHAIN_ID is ${given}, but this database belongs to chain ${own}: set CHAIN_ID to ${own} with its RPC_URLS, ` +
    `or set DATABASE_URL to use a separate database for chain ${given}`
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
