import { keccak256 } from 'viem/utils'

declare const unit: unique symbol

/**
 * An EVM address in its EIP-55 spelling.
 *
 * There is one spelling inside Sluice, so two wallets are the same exactly when their texts are.
 */
export type Wallet = `0x${string}` & { readonly [unit]: 'Wallet' }

/**
 * What was worked out lately, by the text it was worked out from. Two halves, so that a full one is dropped without
 * looking for what is oldest.
 */
class Recent<Value> {
  readonly #halfSize: number
  #newer = new Map<string, Value>()
  #older = new Map<string, Value>()

  /** @param halfSize - Twice as many are kept at most. */
  constructor(halfSize: number) {
    this.#halfSize = halfSize
  }

  /** What is remembered of a text. */
  get(text: string): Value | undefined {
    const known = this.#newer.get(text)
    if (known !== undefined) return known
    const old = this.#older.get(text)
    if (old !== undefined) this.set(text, old)
    return old
  }

  /** Remembers it. */
  set(text: string, value: Value): void {
    if (this.#newer.size >= this.#halfSize) {
      this.#older = this.#newer
      this.#newer = new Map()
    }
    // A copy: a part of a long text would keep all of it.
    this.#newer.set(` ${text}`.slice(1), value)
  }
}

/** Spellings that were parsed lately: the same few wallets come again and again, in every log of a token. Some 2 MB at most. */
const spellings = new Recent<Wallet>(4_096)

/** The wallet `value` names in any case, or `undefined` where it is not 0x and 40 hex digits. */
export function parseWallet(value: unknown): Wallet | undefined {
  if (typeof value !== 'string' || value.length !== 42) return undefined
  const known = spellings.get(value)
  if (known) return known
  if (!/^0x[0-9a-fA-F]{40}$/.test(value)) return undefined
  const wallet = spell(value.toLowerCase())
  spellings.set(value, wallet)
  return wallet
}

/** Those in words that were read lately: 3 MB at most. */
const inWords = new Recent<Wallet>(4_096)

/**
 * The wallet in the 32 bytes that stand for it in a log's topics, in lower-case hex; `undefined` where the upper twelve
 * are not zero, which is no address.
 */
export function parseWalletWord(word: string): Wallet | undefined {
  const known = inWords.get(word)
  if (known !== undefined || word.length !== 66 || !word.startsWith(noUpperBytes)) return known
  const wallet = parseWallet(`0x${word.slice(26)}`)
  if (wallet !== undefined) inWords.set(word, wallet)
  return wallet
}

const noUpperBytes = `0x${'0'.repeat(24)}`

/** EIP-55: a letter is a capital where the same digit of the hash of all forty is 8 or more. */
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

/** The zero address: stands for the chain's own coin where a token's address is asked for. */
export const nativeAddress = '0x0000000000000000000000000000000000000000' as Wallet
