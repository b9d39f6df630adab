import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto'
import type { Random } from '../kernel/random.ts'

/**
 * Seals secrets with AES-256-GCM: a fresh data key for each secret, itself wrapped by the master key,
 * both bound to a context text, so that a sealed text cannot be moved to another owner's row.
 */
export class Secrets {
  readonly #master: Buffer
  readonly #random: Random

  /** @param masterKey - At least 32 signs; hashed to the 256 bits used. */
  constructor(masterKey: string, random: Random) {
    this.#master = createHash('sha256').update('sluice master key\n').update(masterKey).digest()
    this.#random = random
  }

  /** `secret` sealed for `context`, as text: `s1.` and base64url. */
  seal(secret: string, context: string): string {
    const dataKey = Buffer.from(this.#random.bytes(32))
    const wrapped = this.#encrypt(this.#master, dataKey, `key\n${context}`)
    const sealed = this.#encrypt(dataKey, Buffer.from(secret), `secret\n${context}`)
    return `s1.${Buffer.concat([wrapped, sealed]).toString('base64url')}`
  }

  /** The secret inside; throws where the text, the context or the master key is not the one it was sealed with. */
  open(sealed: string, context: string): string {
    if (!sealed.startsWith('s1.')) throw new Error('unknown form of a sealed secret')
    const bytes = Buffer.from(sealed.slice(3), 'base64url')
    const dataKey = decrypt(this.#master, bytes.subarray(0, 60), `key\n${context}`)
    return decrypt(dataKey, bytes.subarray(60), `secret\n${context}`).toString()
  }

  /** The HMAC-SHA256, in hex, of a text under a key of this purpose alone, which follows from the master key. */
  mac(purpose: string, text: string): string {
    const key = createHmac('sha256', this.#master).update(`mac\n${purpose}`).digest()
    return createHmac('sha256', key).update(text).digest('hex')
  }

  #encrypt(key: Buffer, plain: Buffer, context: string): Buffer {
    const iv = Buffer.from(this.#random.bytes(12))
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context))
    return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  }
}

function decrypt(key: Buffer, bytes: Buffer, context: string): Buffer {
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
