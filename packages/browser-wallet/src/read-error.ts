export type FaultKind =
  | 'rejected'
  | 'busy'
  | 'unknown-chain'
  | 'unauthorized'
  | 'unsupported'
  | 'disconnected'
  | 'funds'
  | 'undone'
  | 'other'

export type WalletError = { readonly kind: FaultKind; readonly message: string }

const kindOfCode: Readonly<Record<number, FaultKind>> = {
  4001: 'rejected',
  5000: 'rejected',
  [-32002]: 'busy',
  4902: 'unknown-chain',
  4100: 'unauthorized',
  4200: 'unsupported',
  [-32601]: 'unsupported',
  [-32004]: 'unsupported',
  4900: 'disconnected',
  4901: 'disconnected',
  3: 'undone',
}

/** Patterns of messages, for wallets that use one error code for everything. */
const kindOfWords: readonly (readonly [RegExp, FaultKind])[] = [
  [/user (has )?(reject|denied|declin|cancel)|(reject|denied|declin|cancel)\w* by (the )?user/i, 'rejected'],
  [/unrecognized chain|unknown chain/i, 'unknown-chain'],
  [/insufficient funds/i, 'funds'],
  [/revert/i, 'undone'],
  [/not supported|unsupported|does not exist\/is not available/i, 'unsupported'],
]

const maxMessageLength = 300

export function readError(error: unknown): WalletError {
  const data = at(error, 'data')
  const codes = [error, data, at(data, 'originalError')].map((each) => at(each, 'code'))
  const text = at(error, 'message')
  const words = (typeof text === 'string' ? text : '').slice(0, maxMessageLength)
  const known = codes.map((code) => kindOfCode[Number(code)]).find((kind) => kind !== undefined)
  const kind = known ?? kindOfWords.find(([pattern]) => pattern.test(words))?.[1] ?? 'other'
  const code = codes.find((each) => typeof each === 'number')
  return {
    kind,
    message: [code, words].filter((part) => part !== undefined && part !== '').join(': ') || '?',
  }
}

function at(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined
}
