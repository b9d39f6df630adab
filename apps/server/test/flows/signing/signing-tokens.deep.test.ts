import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { SigningTokens } from '../../../src/payments/relaying/find-signing-token.ts'
import { pullCall } from '../../../src/payments/relaying/permit.ts'
import { permit2Address, permit2Call } from '../../../src/payments/relaying/permit2.ts'
import { openRelaySender } from '../../../src/payments/relaying/relay-call.ts'
import { relayerKey, startRelaying } from '../../support/chain/relaying.ts'
import { fundPermitBuyer, signPermit } from '../../support/chain/signatures.ts'
import { perFile } from '../../support/per-file.ts'

const context = perFile(startRelaying)

const cbBTC = () => context.tokenAddress('cbBTC')
const pullFactory = () => context.needs.chain.pullFactory as Wallet

describe('the relayer', () => {
  test('signs no pull of a token that is not listed, and no other call of the factory', async () => {
    const { chain } = context.needs
    const sender = openRelaySender(relayerKey, chain)
    const attempt = await context.open('cbBTC')
    const signed = await signPermit(context, await fundPermitBuyer(context), attempt)
    const { depositAddress, amount } = attempt
    const { validBefore } = signed.authorization
    const pull = { depositAddress, tokenAddress: cbBTC(), amount, validBefore }
    const terms = { nonce: 0n, attempt: 0n, gas: 1n, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }
    const sign = async (to: Wallet, data: Hex) =>
      sender.sign(chain.id, { kind: 'relay', detail: {}, to, data }, terms)
    const call = pullCall(pull, signed.permit.owner, signed.signature)
    expect((await sign(pullFactory(), call)).hash).toMatch(/^0x/)
    const unlisted = pullCall(
      { ...pull, tokenAddress: signed.permit.owner },
      signed.permit.owner,
      signed.signature,
    )
    await expect(sign(pullFactory(), unlisted)).rejects.toThrow('listed tokens')
    const coin = pullCall({ ...pull, tokenAddress: nativeAddress }, signed.permit.owner, signed.signature)
    await expect(sign(pullFactory(), coin)).rejects.toThrow('listed tokens')
    const through = permit2Call(pull, signed.permit.owner, signed.signature)
    expect((await sign(pullFactory(), through)).hash).toMatch(/^0x/)
    const unlistedThrough = permit2Call(
      { ...pull, tokenAddress: signed.permit.owner },
      signed.permit.owner,
      signed.signature,
    )
    await expect(sign(pullFactory(), unlistedThrough)).rejects.toThrow('listed tokens')
    await expect(sign(permit2Address, through)).rejects.toThrow('listed tokens')
    await expect(sign(pullFactory(), '0xdeadbeef')).rejects.toThrow('listed tokens')
    await expect(sign(chain.factory, call)).rejects.toThrow('listed tokens')
  })
})

describe('a token', () => {
  const token = (symbol: 'USDC' | 'USDT' | 'cbBTC') => {
    const found = context.needs.chain.tokens.find((each) => each.symbol === symbol)
    if (!found) throw new Error(`no ${symbol}`)
    return found
  }
  const find = (symbol: 'USDC' | 'USDT' | 'cbBTC', takesPermits = true) =>
    new SigningTokens(context.needs, takesPermits).findWay(token(symbol))

  test('is paid by the best of the ways that it has', async () => {
    expect((await find('USDC'))?.kind).toBe('authorization')
    expect(await find('cbBTC')).toMatchObject({
      kind: 'permit',
      domain: { name: 'Coinbase Wrapped BTC', version: '1', verifyingContract: cbBTC() },
    })
    expect(await find('USDT')).toEqual({ kind: 'permit2' })
  })

  test('is not paid by a permit where nobody can submit one', async () => {
    expect(await find('cbBTC', false)).toBeUndefined()
    expect(await find('USDT', false)).toBeUndefined()
    const { client } = context.node
    const code = (await client.getCode({ address: pullFactory() })) as Hex
    await client.setCode({ address: pullFactory(), bytecode: '0x00' })
    expect(await find('cbBTC')).toBeUndefined()
    expect(await find('USDT')).toBeUndefined()
    await client.setCode({ address: pullFactory(), bytecode: code })
    expect((await find('cbBTC'))?.kind).toBe('permit')
  })

  test('is not paid through Permit2 where that does not stand, or is another chain’s', async () => {
    const { client } = context.node
    const code = (await client.getCode({ address: permit2Address })) as Hex
    for (const bytecode of ['0x', '0x00', `0x7f${'11'.repeat(32)}5f5260205ff3`] as const) {
      await client.setCode({ address: permit2Address, bytecode })
      expect(await find('USDT')).toBeUndefined()
      expect((await find('cbBTC'))?.kind).toBe('permit')
    }
    await client.setCode({ address: permit2Address, bytecode: code })
    expect((await find('USDT'))?.kind).toBe('permit2')
  })

  test.each([
    ['answers a megabyte to everything', '0x620fffff5ff3'],
    ['answers a short word to everything', '0x601f5ff3'],
    [
      'answers the same word to everything',
      '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff5f5260205ff3',
    ],
    ['answers nothing', '0x00'],
  ] as const)('that %s moves by no signature of its own', async (_, bytecode) => {
    const address = `0x${'77'.repeat(20)}` as Wallet
    await context.node.client.setCode({ address, bytecode })
    const asked = new SigningTokens(context.needs, true).findWay({ ...token('cbBTC'), address })
    const way = await asked.catch(() => undefined)
    expect(way === undefined || way.kind === 'permit2').toBe(true)
  })
})
