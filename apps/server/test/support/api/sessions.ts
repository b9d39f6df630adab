import type { MemberRole, Role } from '@sluice/protocol/api/access.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { bytesToHex, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Clock } from '../../../src/kernel/clock.ts'
import { type Random, systemRandom } from '../../../src/kernel/random.ts'
import { upsertMember } from '../../../src/merchants/member-store.ts'
import type { Database } from '../../../src/platform/database/database.ts'
import { registerSecrets, registerSecretsIn } from '../secrets/secret-register.ts'
import type { ApiResponse, Call } from './call-api.ts'

export function newWallet(random: Random = systemRandom): { wallet: Wallet; privateKey: Hex } {
  const privateKey = bytesToHex(random.bytes(32))
  registerSecrets(privateKey)
  return { privateKey, wallet: parseWallet(privateKeyToAccount(privateKey).address) as Wallet }
}

type Caller = { readonly call: Call }

export type TestSession = {
  readonly wallet: Wallet
  readonly privateKey: Hex
  readonly role: Role
  readonly cookie: string
  readonly csrfToken: string
}

export async function signChallenge(
  api: Caller,
  account: { wallet: Wallet; privateKey: Hex },
): Promise<{ address: Wallet; signature: Hex; nonce: string }> {
  const response = await api.call('POST', '/api/auth/challenge', { body: { address: account.wallet } })
  if (response.status !== 200) throw new Error(response.text)
  const { typedData } = response.body
  const signature = await privateKeyToAccount(account.privateKey).signTypedData(typedData)
  return { address: account.wallet, signature, nonce: typedData.message.nonce }
}

/** Logs a wallet in, to its own merchant unless `merchant` names a different one. */
export async function logIn(
  api: Caller,
  account: { wallet: Wallet; privateKey: Hex },
  merchant?: Wallet,
): Promise<TestSession> {
  const login = await signChallenge(api, account)
  const response = await api.call('POST', '/api/auth/login', {
    body: { ...login, ...(merchant && { merchantWallet: merchant }) },
  })
  if (response.status !== 200) throw new Error(response.text)
  const { wallet, privateKey } = account
  const { role, csrfToken } = response.body
  registerSecretsIn(response.text, response.headers.get('set-cookie'))
  return { wallet, privateKey, role, csrfToken, cookie: cookieOf(response) }
}

export async function logInAs(
  api: Caller & { readonly clock: Pick<Clock, 'now'>; readonly needs: { readonly db: Database } },
  merchant: Wallet,
  role: MemberRole,
): Promise<TestSession> {
  const account = newWallet()
  await upsertMember(api.needs.db, merchant, {
    wallet: account.wallet,
    role,
    createdAt: api.clock.now(),
  })
  return logIn(api, account, merchant)
}

export function cookieOf(response: ApiResponse): string {
  return response.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
}
