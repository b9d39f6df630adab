import { keccak256 } from 'viem/utils'

declare const unit: unique symbol

/** EVM address in EIP-55 spelling. Equal wallets are equal strings, because Sluice uses no other spelling. */
export type Wallet = `0x${string}` & { readonly [unit]: 'Wallet' }

/** Cache of recent results. Evicts the older half at once, so that use need not be tracked. */
class Recent<Value> {
  readonly #halfSize: number
  #newer = new Map<string, Value>()
  #older = new Map<string, Value>()

  constructor(halfSize: number) {
    this.#halfSize = halfSize
  }

  get(text: string): Value | undefined {
    const known = this.#newer.get(text)
    if (known !== undefined) return known
    const old = this.#older.get(text)
    if (old !== undefined) this.set(text, old)
    return old
  }

  set(text: string, value: Value): void {
    if (this.#newer.size >= this.#halfSize) {
      this.#older = this.#newer
      this.#newer = new Map()
    }
    // Copies the text: a substring would keep its whole parent string in memory.
    this.#newer.set(` ${text}`.slice(1), value)
  }
}

/** Avoids repeated hashing, because every token log contains the same few wallets. At most about 2 MB. */
const spellings = new Recent<Wallet>(4_096)

/** Parses an address in any case. Returns `undefined` unless the value is 0x and 40 hexadecimal digits. */
export function parseWallet(value: unknown): Wallet | undefined {
  if (typeof value !== 'string' || value.length !== 42) return undefined
  const known = spellings.get(value)
  if (known) return known
  if (!/^0x[0-9a-fA-F]{40}$/.test(value)) return undefined
  const wallet = spell(value.toLowerCase())
  spellings.set(value, wallet)
  return wallet
}

const inWords = new Recent<Wallet>(4_096)

/**
 * Parses an address from a 32-byte log topic in lower-case hex. Returns `undefined` if the upper twelve bytes
 * are not zero.
 */
export function parseWalletWord(word: string): Wallet | undefined {
  const known = inWords.get(word)
  if (known !== undefined || word.length !== 66 || !word.startsWith(noUpperBytes)) return known
  const wallet = parseWallet(`0x${word.slice(26)}`)
  if (wallet !== undefined) inWords.set(word, wallet)
  return wallet
}

const noUpperBytes = `0x${'0'.repeat(24)}`

/** EIP-55: a letter is upper case if the hash digit at its position is 8 or more. */
function spell(lower: string): Wallet {
  const signs = new Uint8Array(lower.length)
  for (let i = 0; i < signs.length; i++) signs[i] = lower.charCodeAt(i)
  const digits = signs.subarray(2)
  const hash = keccak256(digits, 'bytes')
  for (const [i, digit] of digits.entries()) {
    const byte = hash[i >> 1] ?? 0
    const isHigh = ((i % 2 === 0 ? byte >> 4 : byte) & 8) !== 0
    if (isHigh && digit >= letterA) digits[i] = digit - letterA + capitalA
  }
  return String.fromCharCode(...signs) as Wallet
}

const [letterA, capitalA] = [97, 65]

/** Zero address, which represents the chain's native token. */
export const nativeAddress = '0x0000000000000000000000000000000000000000' as Wallet
