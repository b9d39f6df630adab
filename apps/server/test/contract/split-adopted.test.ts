import { expect } from 'vitest'
import { row } from '../support/api/contract.ts'
import { expectError } from '../support/api/expect-errors.ts'
import { logIn, newWallet } from '../support/api/sessions.ts'
import { row as share, startSplitApi } from '../support/chain/splits.ts'
import { perFile } from '../support/per-file.ts'

const api = perFile(startSplitApi)

async function deploy(splitAddress: unknown) {
  const session = await logIn(api, newWallet())
  const read = async () => (await api.call('GET', '/api/split/deploy', { session })).body.split
  return { read, response: await api.call('POST', '/api/split/deploy', { session, body: { splitAddress } }) }
}

row('post-split-deploy.splitAddress', "accepts only a contract from Sluice's factory", async () => {
  const rows = [share(6_000), share(3_950), share(50, api.platform.recipient)]
  const splitAddress = await api.createSplit(rows, `0x${'5a'.repeat(32)}`)
  const { response, read } = await deploy(splitAddress)
  expect(response.status, response.text).toBe(200)
  expect(response.body.split).toMatchObject({ address: splitAddress, recipients: rows, deployed: true })
  expect(await read()).toMatchObject({ address: splitAddress })
  const others = [newWallet().wallet, api.needs.chain.factory, '0x12', 7]
  for (const wrong of others) {
    const refused = await deploy(wrong)
    expectError(refused.response, 400, 'invalid_input', `${wrong}`)
    expect(await refused.read()).toMatchObject({ address: null, recipients: [] })
  }
})
