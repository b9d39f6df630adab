import type { KnownToken } from '../service/find-token.ts'
import type { WebApp } from '../service/use-web-app.ts'
import type { Provider } from './provider.ts'
import { moveTo, sendTransaction } from './send-transaction.ts'

export class TooLittle extends Error {
  readonly balance: bigint

  constructor(balance: bigint) {
    super('the wallet holds too little')
    this.name = 'TooLittle'
    this.balance = balance
  }
}

/**
 * Sends a token or the native coin with the wallet.
 *
 * @returns Hash of the transaction.
 * @throws {TooLittle} if the balance is too small, before the wallet is asked to send. Rethrows errors of the
 *   wallet.
 */
export async function payToken(
  provider: Provider,
  chain: WebApp['chain'],
  { token, to, units }: { readonly token: KnownToken; readonly to: string; readonly units: bigint },
): Promise<string> {
  const [from = ''] = (await provider.request({ method: 'eth_requestAccounts' })) as readonly string[]
  await moveTo(provider, chain)
  const balance = await readBalance(provider, token, from)
  if (balance !== undefined && balance < units) throw new TooLittle(balance)
  const call =
    token.address === null
      ? { to, data: '0x', value: `0x${units.toString(16)}` }
      : { to: token.address, data: `0xa9059cbb${word(to)}${word(units.toString(16))}` }
  return sendTransaction(provider, chain, call)
}

/** Returns the balance in base units, or `undefined` if the wallet cannot read it. */
async function readBalance(
  provider: Provider,
  { address }: KnownToken,
  owner: string,
): Promise<bigint | undefined> {
  const call =
    address === null
      ? { method: 'eth_getBalance', params: [owner, 'latest'] }
      : { method: 'eth_call', params: [{ to: address, data: `0x70a08231${word(owner)}` }, 'latest'] }
  try {
    return BigInt(String(await provider.request(call)))
  } catch {
    return undefined
  }
}

/** Encodes a hex value as a 32-byte ABI word. */
function word(hex: string): string {
  return hex.replace(/^0x/, '').toLowerCase().padStart(64, '0')
}
