import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { type Hex, keccak256, serializeErc6492Signature, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import type { Chain } from '../../../src/chain/chain.ts'
import { describeNetwork } from '../../../src/chain/networks.ts'
import { connectChain } from '../../../src/chain/rpc/connect-chain.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { offline } from '../../support/api/offline.ts'
import { newWallet } from '../../support/api/sessions.ts'
import { type ChainNeeds, startApi, type TestApi } from '../../support/api/start-api.ts'
import { startChainApi } from '../../support/chain/chain-api.ts'
import { deployAccountFactory } from '../../support/chain/smart-account.ts'
import { perFile } from '../../support/per-file.ts'

const api = perFile(() => startChainApi({ blockTime: 0 }))
const factory = perFile(() => deployAccountFactory(api.node))
const liar = perFile(startLiar)

const connectTo = (needs: ChainNeeds, rpcUrls: string[]) =>
  connectChain(needs, describeNetwork(31337, api.node.contracts), rpcUrls)

const startOver = (rpcUrls: string[], more: Partial<Pick<Chain, 'callCode'>> = {}) =>
  startApi({ beside: api, chain: (needs) => ({ ...connectTo(needs, rpcUrls), ...more }) })

/** Starts an RPC endpoint that reports every signature as valid. */
async function startLiar() {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    const responses = JSON.parse(body).map(({ id, method }: { id: number; method: string }) => ({
      jsonrpc: '2.0',
      id,
      result: method === 'eth_chainId' ? '0x7a69' : `0x${'0'.repeat(63)}1`,
    }))
    response.setHeader('content-type', 'application/json').end(JSON.stringify(responses))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() }
}

let saltCount = 0
const newSalt = () => keccak256(toHex(`salt ${++saltCount}`))

async function logInAccount(
  address: Hex,
  owner: { privateKey: Hex },
  wrap: (signature: Hex) => Hex = (signature) => signature,
  at: Pick<TestApi, 'call'> = api,
) {
  const wallet = parseWallet(address) as Wallet
  const { typedData } = (await at.call('POST', '/api/auth/challenge', { body: { address: wallet } })).body
  const signature = wrap(await privateKeyToAccount(owner.privateKey).signTypedData(typedData))
  const body = { address: wallet, signature, nonce: typedData.message.nonce }
  return at.call('POST', '/api/auth/login', { body })
}

const wrap6492 = (owner: Hex, salt: Hex) => (signature: Hex) => {
  const { deploy: data } = factory.accountOf(owner, salt)
  return serializeErc6492Signature({ address: factory.address, data, signature })
}

test('a deployed smart account (ERC-1271) logs in by its owner’s signature, and by nobody else’s', async () => {
  const [owner, thief] = [newWallet(), newWallet()]
  const salt = newSalt()
  const { address } = factory.accountOf(owner.wallet, salt)
  await factory.deploy(owner.wallet, salt)
  const response = await logInAccount(address, owner)
  expect([response.status, response.body.wallet, response.body.role]).toEqual([200, address, 'owner'])
  expectApiError(await logInAccount(address, thief), 401, 'unauthorized')
})

test('an undeployed smart account (ERC-6492) logs in and stays undeployed', async () => {
  const [owner, thief] = [newWallet(), newWallet()]
  const salt = newSalt()
  const { address } = factory.accountOf(owner.wallet, salt)
  expect((await logInAccount(address, owner, wrap6492(owner.wallet, salt))).status).toBe(200)
  expect((await logInAccount(address, thief, wrap6492(owner.wallet, salt))).status).toBe(401)
  expect((await logInAccount(address, thief, wrap6492(thief.wallet, salt))).status).toBe(401)
  expect(await api.node.client.getCode({ address })).toBeUndefined()
})

test('the wrapped signature is still good once the account stands', async () => {
  const owner = newWallet()
  const salt = newSalt()
  await factory.deploy(owner.wallet, salt)
  const { address } = factory.accountOf(owner.wallet, salt)
  expect((await logInAccount(address, owner, wrap6492(owner.wallet, salt))).status).toBe(200)
})

test('an account with a key of its own and delegated code (EIP-7702) logs in by its key', async () => {
  const owner = newWallet()
  const bytecode: Hex = `0xef0100${factory.address.slice(2).toLowerCase()}`
  await api.node.client.setCode({ address: owner.wallet, bytecode })
  expect((await logInAccount(owner.wallet, owner)).status).toBe(200)
})

test('an ordinary wallet does not log in by another’s signature, nor by rubbish', async () => {
  const [mine, theirs] = [newWallet(), newWallet()]
  expect((await logInAccount(mine.wallet, theirs)).status).toBe(401)
  expect((await logInAccount(mine.wallet, mine, () => `0x${'00'.repeat(65)}`)).status).toBe(401)
  expect((await logInAccount(mine.wallet, mine, () => `0x${'ff'.repeat(500)}`)).status).toBe(401)
  expect((await logInAccount(mine.wallet, mine, () => `0x${'64926492'.repeat(32)}`)).status).toBe(401)
})

test('of two endpoints one that lies lets nobody in: 503', async () => {
  const lied = await startOver([liar.url, api.node.rpcUrl])
  const [mine, theirs] = [newWallet(), newWallet()]
  expectApiError(await logInAccount(mine.wallet, theirs, undefined, lied), 503, 'chain_unavailable')
  await lied.stop()
})

test('one endpoint on another machine is not asked: a smart account does not log in by its word', async () => {
  const asked: Hex[] = []
  const alone = await startOver(['https://rpc.example'], {
    async callCode(code) {
      asked.push(code)
      return { ok: true, data: `0x${'0'.repeat(63)}1` }
    },
  })
  const [mine, theirs] = [newWallet(), newWallet()]
  const response = await logInAccount(mine.wallet, theirs, undefined, alone)
  expect([response.status, response.body.error, asked]).toEqual([401, 'unauthorized', []])
  expect((await logInAccount(mine.wallet, mine, undefined, alone)).status).toBe(200)
  await alone.stop()
})

test.each([
  [['http://127.0.0.1:8545'], true],
  [['http://[::1]:8545'], true],
  [['https://rpc.example'], false],
  [['https://one.example', 'https://two.example'], true],
  [['https://one.example', 'http://localhost:8545'], true],
  [['https://one.example/a', 'https://one.example/b'], false],
  [['https://one.example/a', 'https://one.example/b', 'https://two.example'], false],
])('whether %j can vouch for a contract: %s', (rpcUrls, expected) => {
  expect(connectTo({ ...api.needs, outbound: offline }, rpcUrls).isCorroborated).toBe(expected)
})

test('a wallet that has logged in by its own key is never judged by the chain again', async () => {
  const lied = await startOver([liar.url])
  const [mine, theirs] = [newWallet(), newWallet()]
  expect((await logInAccount(mine.wallet, mine, undefined, lied)).status).toBe(200)
  expectApiError(await logInAccount(mine.wallet, theirs, undefined, lied), 401, 'unauthorized')
  await lied.stop()
})

test('with the RPC down smart accounts get 503, and ordinary wallets log in all the same', async () => {
  const down = await startOver(['http://127.0.0.1:1'])
  const owner = newWallet()
  const { address } = factory.accountOf(owner.wallet, newSalt())
  const response = await logInAccount(address, owner, undefined, down)
  expectApiError(response, 503, 'chain_unavailable')
  expect(response.headers.get('set-cookie')).toBeNull()
  expect((await logInAccount(owner.wallet, owner, undefined, down)).status).toBe(200)
  await down.stop()
})
