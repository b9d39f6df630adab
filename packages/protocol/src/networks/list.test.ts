import { usdc } from 'viem/tokens'
import { describe, expect, test } from 'vitest'
import { type TokenKind, type TokenSymbol, tokenKinds } from '../tokens/list.ts'
import { parseWallet, type Wallet } from '../wallet.ts'
import { describeToken } from './describe-token.ts'
import { networks } from './list.ts'

const kindOf = (symbol: string) => tokenKinds.find((kind) => kind.symbol === symbol) as TokenKind
const publicNetworks = networks.filter(({ use }) => use !== 'local')

test('no two networks have the same id or name', () => {
  expect(new Set(networks.map(({ id }) => id)).size).toBe(networks.length)
  expect(new Set(networks.map(({ name }) => name)).size).toBe(networks.length)
})

describe.each(publicNetworks)('$name', ({
  explorerUrl,
  publicRpcUrl,
  nativeToken,
  tokens,
  chainlinkFeeds,
}) => {
  test('has an explorer and an endpoint for wallets', () => {
    expect(explorerUrl).toMatch(/^https:\/\/[\w.-]+$/)
    expect(new URL(publicRpcUrl ?? '').protocol).toBe('https:')
  })

  test('has a native token of 18 decimals that is no contract, and USDC', () => {
    expect(kindOf(nativeToken)).toMatchObject({ decimals: 18, isStablecoin: false })
    expect(tokens).not.toHaveProperty(nativeToken)
    expect(tokens).toHaveProperty('USDC')
  })

  test('spells each address with its checksum', () => {
    const addresses = [
      ...Object.values(tokens).map(({ address }) => address),
      ...Object.values(chainlinkFeeds ?? {}),
    ]
    expect(addresses).toEqual(addresses.map((address) => parseWallet(address)))
  })

  test('has feeds only for its own tokens that are no stablecoins', () => {
    for (const symbol of Object.keys(chainlinkFeeds ?? {})) {
      expect([nativeToken, ...Object.keys(tokens)]).toContain(symbol)
      expect(kindOf(symbol).isStablecoin).toBe(false)
    }
  })
})

test('USDC is the contract that viem lists too, except for the one of Binance', () => {
  const own = publicNetworks.filter(({ nativeToken }) => nativeToken !== 'BNB')
  expect(Object.fromEntries(own.map(({ id, tokens }) => [id, tokens.USDC]))).toEqual(
    Object.fromEntries(
      own.map(({ id }) => [id, { address: usdc.addresses[id as keyof typeof usdc.addresses], decimals: 6 }]),
    ),
  )
})

test('an address alone tells the decimals: contracts with one address are alike on all networks', () => {
  const byAddress = Map.groupBy(
    networks.flatMap(({ tokens }) => Object.entries(tokens)),
    ([, { address }]) => address,
  )
  for (const [first, ...others] of byAddress.values())
    for (const other of others) expect(other).toEqual(first)
})

test('a token has the decimals of its contract, or the usual ones if the contract is of a local chain', () => {
  const decimals = (symbol: TokenSymbol, address: string) =>
    describeToken(kindOf(symbol), address as Wallet).decimals
  expect(decimals('USDT', '0x55d398326f99059fF775485246999027B3197955')).toBe(18)
  expect(decimals('USDT', '0xdAC17F958D2ee523a2206206994597C13D831ec7')).toBe(6)
  expect(decimals('USDT', '0x00000000000000000000000000000000000000aA')).toBe(6)
})

test('USDC is signed for only where its contract can check signatures', () => {
  const signing = networks.flatMap(({ name, tokens: { USDC } }) =>
    USDC && describeToken(kindOf('USDC'), USDC.address as Wallet).signing ? [name] : [],
  )
  expect(signing).toEqual(
    publicNetworks.filter(({ nativeToken }) => nativeToken !== 'BNB').map(({ name }) => name),
  )
})
