import { setTimeout as pause } from 'node:timers/promises'
import { testUSDCAbi } from '@sluice/contracts/abi/TestUSDC.ts'
import { x402Headers } from '@sluice/protocol/x402/messages.ts'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { x402Client } from '@x402/fetch'
import { createWalletClient, type Hex, http, parseAbiItem } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { anvilClient } from '../../../src/local/anvil.ts'
import { newWallet } from '../../support/api/sessions.ts'
import { gasPayer, startFacilitator } from '../../support/chain/facilitator-stand-in.ts'
import { encodePayment, type ProgramReply, replyOf } from '../../support/chain/programs.ts'
import { copySeededData } from '../../support/kill/seeded.ts'
import { readLocal } from '../../support/kill/service.ts'
import { SupervisedService } from '../../support/kill/supervised-service.ts'
import { findServicePort } from '../../support/programs/service-port.ts'

const transfer = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')

test('what a facilitator settled while the service was killed is answered from the chain, and credited once', async () => {
  const facilitator = await startFacilitator()
  const data = await copySeededData()
  const service = new SupervisedService({
    dataDir: data.dataDir,
    port: await findServicePort(),
    settings: { X402_FACILITATOR_URL: facilitator.url },
  })
  try {
    await service.untilReady()
    const { baseUrl, rpcUrl, chainId, merchant, subscriptionKey, tokens, buyer } = await readLocal(
      data.dataDir,
    )
    const chain = anvilClient(rpcUrl)
    facilitator.use(rpcUrl)
    await chain.setBalance({ address: privateKeyToAccount(gasPayer).address, value: 10n ** 18n })
    const { wallet, privateKey } = newWallet()
    const demo = createWalletClient({
      account: privateKeyToAccount(buyer.privateKey),
      transport: http(rpcUrl),
    })
    const mint = { address: tokens.USDC, abi: testUSDCAbi, functionName: 'mint' } as const
    const hash = await demo.writeContract({ ...mint, args: [wallet, 50_000_000n], chain: null })
    await chain.waitForTransactionReceipt({ hash })

    const client = new x402Client()
      .register(`eip155:${chainId}`, new ExactEvmScheme(privateKeyToAccount(privateKey as Hex)))
      .setSpendControls({ allowedAssets: true })
    const bill = async (id: string) => {
      const made = await fetch(`${baseUrl}/api/receipts`, {
        method: 'POST',
        headers: { 'ocp-apim-subscription-key': subscriptionKey, 'content-type': 'application/json' },
        body: JSON.stringify({ id, lineItems: [{ label: 'Data', priceUsd: 8 }], totalUsd: 8 }),
      })
      expect(made.status).toBe(201)
      const url = `${baseUrl}/portal/${id}?recipient=${merchant.address}`
      const { required } = await ask(url)
      const payload = await client.createPaymentPayload(required)
      return { url, payTo: payload.accepted.payTo, payment: encodePayment(payload) }
    }
    const settled = await bill('settled-then-killed')
    const unheard = await bill('killed-before-settling')

    facilitator.whenSettled = () => service.kill()
    const first = await pay(settled.url, settled.payment)
    expect(service.deathCount).toBe(1)
    facilitator.whenSettled = () => {}
    expect(first).toMatchObject({ status: 200, response: { success: true, payer: wallet } })
    expect(first.body).toMatchObject({ paid: true })
    expect((await ask(settled.url, settled.payment)).response).toEqual(first.response)

    facilitator.behave = () => {
      facilitator.behave = () => undefined
      service.kill()
      return { status: 500, body: {} }
    }
    expect(await pay(unheard.url, unheard.payment)).toMatchObject({ status: 200, body: { paid: true } })
    expect(service.deathCount).toBe(2)

    for (const { payTo } of [settled, unheard]) {
      const args = { from: wallet, to: payTo as Hex }
      const logs = await chain.getLogs({ address: tokens.USDC, event: transfer, args, fromBlock: 0n })
      expect(logs.map(({ args: { value } }) => value)).toEqual([8_000_000n])
    }
    for (const id of ['settled-then-killed', 'killed-before-settling']) {
      const headers = { 'ocp-apim-subscription-key': subscriptionKey }
      const receipt = await (await fetch(`${baseUrl}/api/receipts/${id}`, { headers })).json()
      expect(receipt).toMatchObject({ payment: { received: 8, excess: 0 } })
    }
    await service.stop()
  } finally {
    await service.abandon()
    await data.remove()
    await facilitator.close()
  }
}, 900_000)

async function ask(url: string, payment?: string): Promise<ProgramReply> {
  const headers = {
    accept: 'application/json',
    ...(payment !== undefined && { [x402Headers.signature]: payment }),
  }
  return replyOf(await fetch(url, { headers }))
}

async function pay(url: string, payment: string): Promise<ProgramReply> {
  for (const giveUpAt = performance.now() + 400_000; performance.now() < giveUpAt; await pause(100)) {
    const reply = await ask(url, payment).catch(() => undefined)
    if (reply && reply.status !== 202 && reply.status < 500) return reply
  }
  throw new Error(`nobody answers ${url}`)
}
