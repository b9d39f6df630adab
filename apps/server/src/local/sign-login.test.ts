import { loginDomain, loginTypes } from '@sluice/protocol/api/auth.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { verifyTypedData } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { expect, test } from 'vitest'
import { signLogin } from './sign-login.ts'

const privateKey = generatePrivateKey()
const holder = { address: parseWallet(privateKeyToAddress(privateKey)) as Wallet, privateKey }
const host = '127.0.0.1:8080'
const domainType = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
]
const login = {
  domain: loginDomain,
  types: { EIP712Domain: domainType, Login: [...loginTypes.Login] },
  primaryType: 'Login',
  message: {
    wallet: holder.address,
    host,
    purpose: 'Log in',
    chainId: 31_337,
    nonce: `0x${'ab'.repeat(32)}`,
    issuedAt: 1,
    expiresAt: 2,
  },
}
const sign = (typedData: unknown) => signLogin({ holder, host }, JSON.stringify(typedData))

test('a login to this very service is signed as it was asked for', async () => {
  const signature = await sign(login)
  const message = { ...login.message, chainId: 31_337n, issuedAt: 1n, expiresAt: 2n }
  const { address } = holder
  const asked = { address, domain: loginDomain, types: loginTypes, primaryType: 'Login' as const }
  const nonce = login.message.nonce as `0x${string}`
  expect(
    await verifyTypedData({ ...asked, message: { ...message, nonce }, signature: signature ?? '0x' }),
  ).toBe(true)
})

test('nothing else is signed: another host, another wallet, other typed data, no JSON', async () => {
  const { message } = login
  const permit = { ...login, primaryType: 'Permit', types: { ...login.types, Permit: [] } }
  const others = [
    { ...login, message: { ...message, host: 'elsewhere.example' } },
    { ...login, message: { ...message, wallet: `0x${'12'.repeat(20)}` } },
    permit,
    { ...login, message: {} },
    null,
  ]
  for (const typedData of others) expect(await sign(typedData)).toBe(undefined)
  for (const text of ['{', 7, undefined, ' '.repeat(20_000)])
    expect(await signLogin({ holder, host }, text)).toBe(undefined)
})
