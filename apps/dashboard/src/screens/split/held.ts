import type { WebApp } from '../../service/use-web-app.ts'
import type { Provider } from '../../wallet/provider.ts'
import { type Call, moveTo } from '../../wallet/send-transaction.ts'

/** Balance of one recipient in one token. */
export type Held = {
  readonly account: string
  readonly symbol: string
  readonly decimals: number
  /** Contract address of the token, or null for the native token. */
  readonly token: string | null
  readonly units: bigint
}

/** Function selectors of PaymentSplitter. */
const selectors = {
  releasable: '0xa3f8eace',
  releasableToken: '0xc45ac050',
  release: '0x19165587',
  releaseToken: '0x48b75044',
} as const
const atOnce = 8

/** Reads the releasable amounts of `accounts` from the chain through the wallet. Omits zero amounts. */
export async function readHeld(
  provider: Provider,
  chain: WebApp['chain'],
  contract: string,
  accounts: readonly string[],
): Promise<Held[]> {
  await provider.request({ method: 'eth_requestAccounts' })
  await moveTo(provider, chain)
  const asked = chain.tokens.flatMap(({ symbol, decimals, address: token }) =>
    accounts.map((account) => ({ account, symbol, decimals, token })),
  )
  const held: Held[] = []
  for (let i = 0; i < asked.length; i += atOnce) {
    const batch = asked.slice(i, i + atOnce).map(async (each) => {
      const data = dataOf(each, selectors.releasable, selectors.releasableToken)
      const response = await provider.request({
        method: 'eth_call',
        params: [{ to: contract, data }, 'latest'],
      })
      return { ...each, units: BigInt(String(response)) }
    })
    held.push(...(await Promise.all(batch)))
  }
  return held.filter(({ units }) => units > 0n)
}

/** Returns the call that releases a balance to its recipient. Any account can send it. */
export function releaseCall(contract: string, held: Held): Call {
  return { to: contract, data: dataOf(held, selectors.release, selectors.releaseToken) }
}

function dataOf(
  { account, token }: Pick<Held, 'account' | 'token'>,
  native: string,
  ofToken: string,
): string {
  return token === null ? native + word(account) : ofToken + word(token) + word(account)
}

function word(address: string): string {
  return address.slice(2).toLowerCase().padStart(64, '0')
}
