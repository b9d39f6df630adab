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
 * Seals secrets with AES-256-GCM: a fresh data key for each secret, itself wrapped by the master key,
 * both bound to a context text, so that a sealed text cannot be moved to another owner's row.
 *
 * A sealed text says which master key it needs. While one is replaced by another, what the old one sealed still
 * opens; nothing new is sealed with it.
 */
export class Secrets {
  readonly #current: MasterKey
  readonly #old: readonly MasterKey[]
  readonly #random: Random

  /** @param masterKey - At least 32 signs; hashed to the 256 bits used. So are those before it. */
  constructor(masterKey: string, random: Random, old: readonly string[] = []) {
    this.#current = readMasterKey(masterKey)
    this.#old = old.map(readMasterKey)
    this.#random = random
  }

  /** Names the master key that seals; says nothing of what it is. */
  get keyId(): string {
    return this.#current.id
  }

  /** Names the master keys before it. */
  get oldKeyIds(): readonly string[] {
    return this.#old.map(({ id }) => id)
  }

  /** `secret` sealed for `context`, as text: `s2.`, the master key's id, a dot and base64url. */
  seal(secret: string, context: string): string {
    const dataBytes = Buffer.from(this.#random.bytes(32))
    const wrapped = this.#encrypt(this.#current.key, dataBytes, `key\n${context}`)
    const sealed = this.#encrypt(createSecretKey(dataBytes), Buffer.from(secret), `secret\n${context}`)
    return `${this.#prefix}${Buffer.concat([wrapped, sealed]).toString('base64url')}`
  }

  /** The secret inside; throws where the text, the context or every master key is not the one it was sealed with. */
  open(sealed: string, context: string): string {
    const [id, text] = partsOf(sealed)
    const keys = [this.#current, ...this.#old].filter((key) => key.id === id)
    if (keys.length === 0) throw new Error(`encrypted with another master key (${id})`)
    let fault: unknown
    for (const { key: master } of keys) {
      try {
        const bytes = Buffer.from(text, 'base64url')
        const dataKey = createSecretKey(decrypt(master, bytes.subarray(0, 60), `key\n${context}`))
        return decrypt(dataKey, bytes.subarray(60), `secret\n${context}`).toString()
      } catch (error) {
        fault = error
      }
    }
    throw fault
  }

  /** Whether a text was sealed with the current master key and says so; another one is worth sealing anew. */
  isCurrent(sealed: string): boolean {
    return sealed.startsWith(this.#prefix)
  }

  /** The HMAC-SHA256, in hex, of a text under a key of this purpose alone, which follows from the master key. */
  mac(purpose: string, text: string): string {
    return macUnder(this.#current, purpose, text)
  }

  /** Whether `mac` is a text's under the master key or one before it. */
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

/** What is sealed now. */
const form = 's2'

type MasterKey = {
  readonly key: KeyObject
  readonly id: string
  /** The keys that follow from it, by purpose: the few that the code names. */
  readonly macKeys: Map<string, KeyObject>
}

function readMasterKey(text: string): MasterKey {
  const bytes = createHash('sha256').update('sluice master key\n').update(text).digest()
  // 48 bits: enough to tell two keys apart, and of no help to whoever looks for one.
  const id = createHmac('sha256', bytes).update('id').digest('hex').slice(0, 12)
  return { key: createSecretKey(bytes), id, macKeys: new Map() }
}

function partsOf(sealed: string): [id: string, text: string] {
  const [first, id = '', text = ''] = sealed.split('.')
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
  // Without a length given, a tag cut to 4 bytes would pass.
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(bytes.length - 16))
  return Buffer.concat([decipher.update(bytes.subarray(12, bytes.length - 16)), decipher.final()])
}

/** The context a merchant's API key is sealed for (decisions: Access): its wallet and key id. */
export function apiKeyContext(merchant: string, keyId: string): string {
  return `api-key\n${merchant}\n${keyId}`
}
