import { expect } from 'vitest'
import { row } from '../support/api/contract.ts'
import { expectError, expectSessionErrors } from '../support/api/expect-errors.ts'
import { contractPlatform, startMerchantApi } from '../support/api/merchant-api.ts'
import { logIn, newWallet } from '../support/api/sessions.ts'
import { row as share } from '../support/chain/splits.ts'
import { perFile } from '../support/per-file.ts'

const context = perFile(startMerchantApi)
const path = '/api/split/deploy'

async function deploy(body: unknown) {
  const account = newWallet()
  const session = await logIn(context, account)
  const read = async () => (await context.call('GET', path, { session })).body.split
  const again = (other: unknown) => context.call('POST', path, { session, body: other })
  return { account, read, again, response: await again(body) }
}
const platformRow = { address: contractPlatform.recipient, sharesBps: 50 }

row(
  'post-split-deploy.recipients',
  "contains wallets with shares; Sluice adds the platform's share",
  async () => {
    const recipients = [share(7_000), share(2_950)]
    const made = await deploy({ recipients })
    expect(made.response.status, made.response.text).toBe(200)
    expect((await made.read()).recipients).toEqual([...recipients, platformRow])
    const full = await deploy({ recipients: [share(9_950), platformRow] })
    expect((await full.read()).recipients).toHaveLength(2)
    const none = await deploy({})
    expect((await none.read()).recipients).toEqual([
      { address: none.account.wallet, sharesBps: 9_950 },
      platformRow,
    ])
    const [one] = recipients
    for (const wrong of [[], 'all', [{ address: one?.address }], [{ address: '0x12', sharesBps: 9_950 }]])
      expectError((await deploy({ recipients: wrong })).response, 400, 'invalid_input')
  },
)

row('post-split-deploy.answer', 'returns ok and the split, as later reads return it', async () => {
  const { response, read } = await deploy({})
  expect([response.status, response.body.ok]).toEqual([200, true])
  expect(response.body.split.address).toMatch(/^0x[0-9a-fA-F]{40}$/)
  expect(response.body).not.toHaveProperty('idempotent')
  expect(await read()).toEqual(response.body.split)
})

row(
  'post-split-deploy.idempotent',
  'is true for an existing split, which stays unchanged regardless of the request',
  async () => {
    const { response, again, read } = await deploy({ recipients: [share(9_950)] })
    expect(response.status).toBe(200)
    for (const body of [
      {},
      { recipients: [share(5_000), share(4_950)] },
      { splitAddress: newWallet().wallet },
    ]) {
      const second = await again(body)
      expect([second.status, second.body]).toEqual([
        200,
        { ok: true, split: response.body.split, idempotent: true },
      ])
    }
    expect(await read()).toEqual(response.body.split)
  },
)

row(
  'post-split-deploy.refusals',
  'returns 401, 403, 429 and 500, and 403 for keys and old logins',
  async () => {
    await expectSessionErrors(context, { method: 'POST', path, body: {}, table: 'split' }, 'developer')
    const session = await context.logInOwner()
    await context.clock.advance(6 * 60_000)
    const response = await context.call('POST', path, { session, body: {} })
    expectError(response, 403, 'forbidden')
    expect(response.body.reason).toBe('reauthentication_required')
  },
)

row(
  'limit.split-shares',
  "are integer basis points that add up to 10000 with the platform's share",
  async () => {
    for (const shares of [[9_950.5], [0, 9_950], [-1, 9_951], [9_951], [9_949], [10_001], ['9950']]) {
      const recipients = shares.map((sharesBps) => ({ address: newWallet().wallet, sharesBps }))
      expectError((await deploy({ recipients })).response, 400, 'invalid_input', `${shares}`)
    }
    const twice = share(4_975)
    expectError((await deploy({ recipients: [twice, twice] })).response, 400, 'invalid_input')
    const wrongFee = [share(9_900), { ...platformRow, sharesBps: 100 }]
    expectError((await deploy({ recipients: wrongFee })).response, 400, 'invalid_input')
    const { read } = await deploy({ recipients: [share(9_949), share(1)] })
    expect((await read()).recipients.map(({ sharesBps }: { sharesBps: number }) => sharesBps)).toEqual([
      9_949, 1, 50,
    ])
  },
)
