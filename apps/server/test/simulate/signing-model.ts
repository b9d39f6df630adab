import { testUSDCAbi } from '@sluice/contracts/abi/TestUSDC.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { type Abi, domainSeparator, encodeAbiParameters, hashTypedData, parseAbi } from 'viem'
import type { Hex } from '../../src/chain/chain.ts'
import { assert } from '../../src/kernel/assert.ts'
import {
  type Authorization,
  hashAuthorization,
  type TokenDomain,
} from '../../src/payments/relaying/authorization.ts'
import { permitTypes } from '../../src/payments/relaying/permit.ts'
import { allowanceOf } from './chain-state.ts'
import { decodeCall, isCallOf } from './decode-call.ts'
import { emit, fail, moveUnits, Revert, type Run, word } from './token-model.ts'

export const localChainId = 31_337

const names: Readonly<Record<string, string>> = {
  USDC: 'USD Coin',
  USDT: 'Tether USD',
  cbBTC: 'Coinbase Wrapped BTC',
  cbXRP: 'Coinbase Wrapped XRP',
}

const byPermit: ReadonlySet<string> = new Set(['name', 'DOMAIN_SEPARATOR', 'nonces', 'permit'])
const byAuthorization: ReadonlySet<string> = new Set([
  ...byPermit,
  ...['version', 'authorizationState', 'transferWithAuthorization'],
])

/** With functions of other tokens, for which the service asks every token. */
const signingAbi: Abi = [
  ...testUSDCAbi.filter(({ type, name }) => type === 'function' && byAuthorization.has(name)),
  ...parseAbi([
    'function PERMIT_TYPEHASH() view returns (bytes32)',
    'function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)',
  ]),
]

export function isSigningCall(data: Hex): boolean {
  return isCallOf(signingAbi, data)
}

const usedOf = (token: Wallet, payer: string, nonce: Hex) => `authorization:${token}:${payer}:${nonce}`
const permitNonceOf = (token: Wallet, owner: string) => `permit:${token}:${owner}`

/** Runs what a token does with signatures. A token without the function reverts. */
export function callSigning(run: Run, token: Wallet, data: Hex): Hex {
  const { functionName, args = [] } = decodeCall(signingAbi, data)
  const { state } = run
  const symbol = run.model.tokens.get(token) as string
  const known = symbol === 'USDC' ? byAuthorization : symbol === 'USDT' ? new Set(['name']) : byPermit
  if (!known.has(functionName)) throw new Revert('0x')
  switch (functionName) {
    case 'name':
      return encodeAbiParameters([{ type: 'string' }], [names[symbol] as string])
    case 'version':
      return encodeAbiParameters([{ type: 'string' }], ['2'])
    case 'DOMAIN_SEPARATOR':
      return domainSeparator({ domain: domainOf(run, token) })
    case 'nonces':
      return word(state.get(permitNonceOf(token, args[0] as Wallet)))
    case 'authorizationState':
      return word(state.get(usedOf(token, args[0] as Wallet, args[1] as Hex)))
    case 'permit':
      return permit(run, token, args as PermitArgs)
    case 'transferWithAuthorization':
      return transferBy(run, token, args as TransferArgs)
    default:
      assert(false, `the model of a token has no ${functionName}`)
  }
}

export type PermitArgs = readonly [
  owner: Wallet,
  spender: Wallet,
  value: bigint,
  deadline: bigint,
  v: number,
  r: Hex,
  s: Hex,
]

/** Reverts before it has changed anything. */
export function permit(
  run: Run,
  token: Wallet,
  [owner, spender, value, deadline, ...parts]: PermitArgs,
): Hex {
  if (run.model.tokens.get(token) === 'USDT') throw new Revert('0x')
  if (run.now > deadline) fail(testUSDCAbi, 'PermitExpired')
  const nonce = run.state.get(permitNonceOf(token, owner))
  const hash = hashTypedData({
    domain: domainOf(run, token),
    types: permitTypes,
    primaryType: 'Permit',
    message: { owner, spender, value, nonce, deadline },
  })
  if (!isSigned(run, hash, owner, joinSignature(parts))) fail(testUSDCAbi, 'InvalidPermit')
  run.state.set(permitNonceOf(token, owner), nonce + 1n)
  run.state.set(allowanceOf(token, owner, spender), value)
  emit(run, token, testUSDCAbi, 'Approval', { owner, spender, amount: value })
  return '0x'
}

type TransferArgs = readonly [Wallet, Wallet, bigint, bigint, bigint, Hex, ...([Hex] | SignatureParts)]

/** EIP-3009. */
function transferBy(run: Run, token: Wallet, args: TransferArgs): Hex {
  const [from, to, value, validAfter, validBefore, nonce, ...signed] = args
  const authorization: Authorization = { from, to, value, validAfter, validBefore, nonce }
  if (run.now <= validAfter) failWith('FiatTokenV2: authorization is not yet valid')
  if (run.now >= validBefore) failWith('FiatTokenV2: authorization is expired')
  const key = usedOf(token, from, nonce)
  if (run.state.get(key) > 0n) failWith('FiatTokenV2: authorization is used or canceled')
  const signature = signed.length === 1 ? signed[0] : joinSignature(signed)
  if (!isSigned(run, hashAuthorization(domainOf(run, token), authorization), from, signature))
    failWith('FiatTokenV2: invalid signature')
  run.state.set(key, 1n)
  emit(run, token, testUSDCAbi, 'AuthorizationUsed', { authorizer: from, nonce })
  moveUnits(run, token, from, to, value)
  return '0x'
}

export function isSigned({ model }: Run, hash: Hex, signer: Wallet, signature: Hex): boolean {
  return model.signatures.get(signatureKey(hash, signature)) === signer
}

export const signatureKey = (hash: Hex, signature: Hex) => `${hash} ${signature.toLowerCase()}`

type SignatureParts = readonly [v: number, r: Hex, s: Hex]

function joinSignature([v, r, s]: SignatureParts): Hex {
  return `${r}${s.slice(2)}${v.toString(16).padStart(2, '0')}` as Hex
}

function domainOf({ model }: Run, token: Wallet): TokenDomain {
  const symbol = model.tokens.get(token) as string
  const version = symbol === 'USDC' ? '2' : '1'
  return { name: names[symbol] as string, version, chainId: localChainId, verifyingContract: token }
}

function failWith(reason: string): never {
  fail(errorAbi, 'Error', [reason])
}

const errorAbi = [{ type: 'error', name: 'Error', inputs: [{ name: 'reason', type: 'string' }] }] as const
