import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'
import type { Random } from '../kernel/random.ts'

/**
 * Encrypts secrets with AES-256-GCM: a fresh data key for each secret, wrapped by the master key.
 *
 * Both are bound to a context, so that a ciphertext cannot be moved to another owner's row. A ciphertext
 * names its master key. During a rotation, the old key still decrypts, but never encrypts.
 */
export class Secrets {
  readonly #current: MasterKey
  readonly #old: readonly MasterKey[]
  readonly #random: Random

  /** @param masterKey - At least 32 characters, hashed to 256 bits. The same applies to `old`. */
  constructor(masterKey: string, random: Random, old: readonly string[] = []) {
    this.#current = readMasterKey(masterKey)
    this.#old = old.map(readMasterKey)
    this.#random = random
  }

  get keyId(): string {
    return this.#current.id
  }

  get oldKeyIds(): readonly string[] {
    return this.#old.map(({ id }) => id)
  }

  /** Returns `secret` encrypted for `context`: `s2.`, the master key's id, a dot and base64url. */
  encrypt(secret: string, context: string): string {
    const dataBytes = Buffer.from(this.#random.bytes(32))
    const wrapped = this.#encrypt(this.#current.key, dataBytes, `key\n${context}`)
    const encrypted = this.#encrypt(createSecretKey(dataBytes), Buffer.from(secret), `secret\n${context}`)
    return `${this.#prefix}${Buffer.concat([wrapped, encrypted]).toString('base64url')}`
  }

  /** Decrypts a secret. Throws if the text is damaged, the context is wrong, or no master key fits. */
  open(encrypted: string, context: string): string {
    const [id, text] = partsOf(encrypted)
    const keys = [this.#current, ...this.#old].filter((key) => key.id === id)
    if (keys.length === 0) throw new Error(`encrypted with another master key (${id})`)
    let reason: unknown
    for (const { key: master } of keys) {
      try {
        const bytes = Buffer.from(text, 'base64url')
        const dataKey = createSecretKey(decrypt(master, bytes.subarray(0, 60), `key\n${context}`))
        return decrypt(dataKey, bytes.subarray(60), `secret\n${context}`).toString()
      } catch (error) {
        reason = error
      }
    }
    throw reason
  }

  /** Returns whether the current master key encrypted the text. If not, the text should be re-encrypted. */
  isCurrent(encrypted: string): boolean {
    return encrypted.startsWith(this.#prefix)
  }

  /**
   * Returns the HMAC-SHA256 of a text, in hex, under a key for this purpose that is derived from the master
   * key.
   */
  mac(purpose: string, text: string): string {
    return macUnder(this.#current, purpose, text)
  }

  /** Returns whether `mac` is valid for the text under the current master key or an old one. */
  isMac(purpose: string, text: string, mac: string): boolean {
    const given = Buffer.from(mac)
    return [this.#current, ...this.#old].some((key) => {
      const right = Buffer.from(macUnder(key, purpose, text))
      return right.length === given.length && timingSafeEqual(right, given)
    })
  }

  get #prefix(): string {
    return `${form}.${this.#current.id}.`
  }

  #encrypt(key: KeyObject, plain: Buffer, context: string): Buffer {
    const iv = Buffer.from(this.#random.bytes(12))
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context))
    return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  }
}

const form = 's2'

type MasterKey = {
  readonly key: KeyObject
  readonly id: string
  readonly macKeys: Map<string, KeyObject>
}

function readMasterKey(text: string): MasterKey {
  const bytes = createHash('sha256').update('sluice master key\n').update(text).digest()
  // 48 bits: enough to distinguish two keys, but no help in guessing one.
  const id = createHmac('sha256', bytes).update('id').digest('hex').slice(0, 12)
  return { key: createSecretKey(bytes), id, macKeys: new Map() }
}

function partsOf(encrypted: string): [id: string, text: string] {
  const [first, id = '', text = ''] = encrypted.split('.')
  if (first === form) return [id, text]
  throw new Error('unknown format of an encrypted secret')
}

function macUnder({ key: master, macKeys }: MasterKey, purpose: string, text: string): string {
  let key = macKeys.get(purpose)
  if (!key) {
    key = createSecretKey(createHmac('sha256', master).update(`mac\n${purpose}`).digest())
    macKeys.set(purpose, key)
  }
  return createHmac('sha256', key).update(text).digest('hex')
}

function decrypt(key: KeyObject, bytes: Buffer, context: string): Buffer {
  // Without an explicit length, a tag of 4 bytes would be accepted.
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(bytes.length - 16))
  return Buffer.concat([decipher.update(bytes.subarray(12, bytes.length - 16)), decipher.final()])
}

export function apiKeyContext(merchant: string, keyId: string): string {
  return `api-key\n${merchant}\n${keyId}`
}
