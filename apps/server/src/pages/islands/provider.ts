/** A wallet as EIP-1193 has it. */
export type Provider = {
  request(call: { method: string; params?: readonly unknown[] }): Promise<unknown>
  on?(event: 'chainChanged', listener: () => void): void
  removeListener?(event: 'chainChanged', listener: () => void): void
}

/** What went wrong with a request to a wallet, as far as its error says. */
export type WalletFault =
  | { readonly kind: 'rejected' | 'busy' | 'unknown-chain' }
  | { readonly kind: 'other'; readonly message: string }

/** Reads a wallet's error. Some wrap the one that matters in another. */
export function readFault(error: unknown): WalletFault {
  const codes = [codeOf(error), codeOf(at(error, 'data')), codeOf(at(at(error, 'data'), 'originalError'))]
  if (codes.includes(4001)) return { kind: 'rejected' }
  if (codes.includes(-32002)) return { kind: 'busy' }
  if (codes.includes(4902)) return { kind: 'unknown-chain' }
  const message = at(error, 'message')
  return { kind: 'other', message: typeof message === 'string' && message ? message.slice(0, 200) : '?' }
}

/** The number behind an answer in hex. @throws where it is none: such a wallet cannot be worked with. */
export function readHex(answer: unknown): bigint {
  if (typeof answer === 'string' && /^0x[0-9a-f]+$/i.test(answer)) return BigInt(answer)
  throw new Error('the wallet returned a value that is not a number')
}

/** A number as JSON-RPC writes it. */
export function writeHex(value: bigint | number): string {
  return `0x${value.toString(16)}`
}

function at(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined
}

function codeOf(value: unknown): number | undefined {
  const code = at(value, 'code')
  return typeof code === 'number' ? code : undefined
}
