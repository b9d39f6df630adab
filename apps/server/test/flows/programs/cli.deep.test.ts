import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { failures } from '@sluice/protocol/failure-catalogue.ts'
import { describe, expect, test } from 'vitest'
import { Sluice } from '../../../../../packages/sdk/src/sluice.ts'
import { newWallet } from '../../support/api/sessions.ts'
import { startWebhookReceiver } from '../../support/api/webhooks.ts'
import { perFile } from '../../support/per-file.ts'
import { type CliProcess, type CliRun, startCli } from '../../support/programs/run-cli.ts'
import { makeTemporaryFolder } from '../../support/programs/temporary-folder.ts'
import { startLocalService } from '../../support/service/local-service.ts'

const folder = perFile(() => makeTemporaryFolder('cli'))
const service = perFile(startLocalService)

type Options = { env?: Record<string, string>; stdin?: string }

async function cli(args: string, options: Options = {}): Promise<CliRun> {
  return run(args.split(' '), { DATA_DIR: service.dataDir, ...options.env }, options.stdin)
}

async function run(args: readonly string[], env: Record<string, string> = {}, stdin = ''): Promise<CliRun> {
  const started = startCli(args, { cwd: folder.path, env })
  started.child.stdin?.end(stdin)
  return started.ended
}

async function json(args: string, options?: Options) {
  const { code, stdout, stderr } = await cli(`${args} --json`, options)
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.trimEnd().split('\n')).toHaveLength(1)
  return JSON.parse(stdout)
}

const start = (...args: string[]) => startCli(args, { cwd: folder.path, env: { DATA_DIR: service.dataDir } })

const heard = (command: CliProcess, stream: 'stdout' | 'stderr', text: string) =>
  expect.poll(() => command.said[stream]).toContain(text)

async function startListening(...more: string[]) {
  const listening = start('webhook', 'listen', '--port', '0', ...more)
  await heard(listening, 'stderr', 'Listening: ')
  return { listening, url: /Listening: (\S+)/.exec(listening.said.stderr)?.[1] ?? '' }
}

const linesOf = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

test('help is on stdout, what is mistyped is told on stderr', async () => {
  const help = await run(['receipt', '--help'])
  expect([help.code, help.stderr]).toEqual([0, ''])
  expect(help.stdout).toContain('receipt watch ID')
  const mistyped = await run(['receipt', 'crate'])
  expect([mistyped.code, mistyped.stdout]).toEqual([2, ''])
})

describe('receipts, orders, products', () => {
  test('a receipt is made, read, listed and cancelled', async () => {
    const made = await json('receipt create --id cli-1 --line Beans=38 --line Discount=-8.50 --currency eur')
    expect(made.paymentUrl).toContain('/portal/cli-1?recipient=')
    expect(await json('receipt get cli-1')).toMatchObject({ total: 29.5, currency: 'EUR', status: 'pending' })
    const { receipts } = await json('receipt list --limit 5')
    expect(receipts[0].receiptId).toBe('cli-1')
    expect((await cli('receipt get cli-1')).stdout).toMatch(/total\s+29\.50 EUR/)
    expect((await cli('receipt list')).stdout).toMatch(/cli-1\s+29\.50 EUR\s+pending/)
    expect((await cli('receipt cancel cli-1')).stdout).toMatch(/status\s+pending\ncancelled\s+20/)
    expect((await json('receipt get cli-1')).cancelledAt).toBeGreaterThan(0)
  })

  test('receipts are exported as CSV by the same filters, and a timeline is shown', async () => {
    await json('receipt create --id cli-export --line Beans=12')
    const { code, stdout, stderr } = await cli('receipt export --search cli-export')
    expect([code, stderr]).toEqual([0, ''])
    const [head = '', ...rows] = stdout.trim().split(/\r?\n/)
    expect(head).toMatch(/^receiptId,status,/)
    expect(rows).toEqual([expect.stringMatching(/^cli-export,pending,/)])
    const refused = await cli('receipt export --status nothing')
    expect([refused.code === 0, refused.stdout]).toEqual([false, ''])
    const { entries } = await json('receipt timeline cli-export')
    expect(entries[0]).toMatchObject({ kind: 'created', toStatus: 'pending' })
    expect((await cli('receipt timeline cli-export')).stdout).toMatch(/created\s+pending/)
  })

  test('events are printed as they happen', async () => {
    const streaming = start('event', 'stream', '--count', '1', '--json', '--after', '0')
    await json('receipt create --id cli-streamed --line Beans=12')
    await service.pay('cli-streamed')
    const { code, stdout } = await streaming.ended
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ number: 1, event: { status: expect.any(String) } })
  })

  test.each(['#1001', 'a/b', '50%25?x=1'])('a receipt called %s is made and read', async (id) => {
    expect(await json(`receipt create --id ${id} --line Tea=4`)).toMatchObject({ id })
    expect((await cli(`receipt get ${id}`)).stdout).toMatch(/status\s+pending/)
  })

  test('a request comes from stdin as it is', async () => {
    const body = JSON.stringify({ id: 'cli-stdin', lineItems: [{ label: 'Tea', amount: 4 }] })
    expect(await json('receipt create --body -', { stdin: body })).toMatchObject({ id: 'cli-stdin' })
    expect((await cli('receipt create --body -', { stdin: '[' })).code).toBe(2)
  })

  test('a product is made and listed, and ordered', async () => {
    await json('product create cli-beans --name Beans --price 12.50 --stock 5')
    const { items } = await json('product list --search cli-beans')
    expect(items).toMatchObject([{ sku: 'cli-beans', priceUsd: 12.5, stockQty: 5 }])
    const order = await json('order create --item cli-beans=2 --jurisdiction US-CA')
    expect(order.receipt.totalUsd).toBe(25)
    const short = await cli('order create --item cli-beans=9 --jurisdiction US-CA')
    expect(short).toMatchObject({ code: 1, stdout: '' })
    expect(short.stderr).toContain('Only 3 of cli-beans left')
  })

  test('a refusal ends with 1 and says what to do, as JSON where that is asked for', async () => {
    const missing = await cli('receipt get not-there --json')
    expect(missing).toMatchObject({ code: 1, stdout: '' })
    expect(JSON.parse(missing.stderr)).toEqual({ error: 'not_found', message: 'Receipt not found' })
    const wrong = await cli('receipt list', { env: { SLUICE_KEY: 'sk_test_wrong' } })
    expect(wrong.code).toBe(1)
    expect(wrong.stderr).toContain('Check the key')
  })

  test('a service that is not there ends with 3', async () => {
    const env = { SLUICE_URL: 'http://127.0.0.1:1', SLUICE_KEY: 'sk_test_x' }
    const { code, stderr } = await run(['receipt', 'list'], env)
    expect(code).toBe(3)
    expect(stderr).toContain('npm start')
  })

  test("the local service's key goes to the local service only", async () => {
    const other = await startWebhookReceiver()
    const { code, stderr } = await cli('receipt list', { env: { SLUICE_URL: other.url } })
    await other.close()
    expect([code, other.received.length]).toEqual([2, 0])
    expect(stderr).toContain('No subscription key found')
  })
})

describe('what takes time', () => {
  test('watch follows a receipt to paid; listen verifies and prints its webhook; tail proves the feed', async () => {
    const { listening, url } = await startListening('--count', '1', '--json')
    await json(`receipt create --id cli/paid#1 --line Coffee=5 --webhook ${url}`)
    const watching = start('receipt', 'watch', 'cli/paid#1', '--json')
    await heard(watching, 'stdout', '"pending"')
    await service.pay('cli/paid#1')

    const watched = await watching.ended
    expect(watched.code).toBe(0)
    const statuses = linesOf(watched.stdout).map(({ status }) => status)
    expect([statuses[0], statuses.at(-1)]).toEqual(['pending', expect.stringMatching(/paid|reconciled/)])
    const listened = await listening.ended
    expect(listened.code).toBe(0)
    const message = { receiptId: 'cli/paid#1', status: 'paid', previousStatus: 'pending' }
    expect(JSON.parse(listened.stdout)).toMatchObject({ isRepeat: false, event: message })
    const tailed = await cli('event tail --last 50 --no-follow --json')
    const events = linesOf(tailed.stdout)
    expect(events.map(({ number }) => number)).toEqual(events.map((_, i) => i + 1))
    expect(events.some(({ event }) => event.receiptId === 'cli/paid#1')).toBe(true)
    expect((await cli('event tail --no-follow')).stdout).toMatch(/cli\/paid#1\s+pending → paid/)
  })

  test('what is waited for in vain ends with 4, what Ctrl-C ends with 130 or, where that is its end, 0', async () => {
    await json('receipt create --id cli-open --line Coffee=5')
    expect((await cli('receipt watch cli-open --timeout 1')).code).toBe(4)
    const watching = start('receipt', 'watch', 'cli-open')
    await heard(watching, 'stdout', 'pending')
    expect((await watching.interrupt()).code).toBe(130)
    const tailing = start('event', 'tail', '--last', '1')
    await expect.poll(() => tailing.said.stdout).not.toBe('')
    expect(await tailing.interrupt()).toMatchObject({ code: 0, stderr: '' })
    const { listening } = await startListening()
    expect((await listening.interrupt()).code).toBe(0)
  })

  test('listen passes the test of receivers; one that takes everything fails it', async () => {
    const { listening, url } = await startListening()
    expect(await json(`webhook test ${url}`)).toMatchObject({ ok: true, errors: [] })
    await listening.interrupt()
    const credulous = await startWebhookReceiver()
    const tested = await cli(`webhook test ${credulous.url}/hook`)
    await credulous.close()
    expect(tested.code).toBe(1)
    expect(tested.stdout).toContain('bad_signature_accepted')
  })
})

describe('merchants and keys', () => {
  test('a merchant is made, its keys work, are rotated and revoked, and the audit log knows', async () => {
    const { wallet } = newWallet()
    const args = ['merchant', 'create', wallet, '--name', 'Corner Café', '--json']
    const made = JSON.parse((await run(args, { DATA_DIR: service.dataDir })).stdout)
    expect(made.subscription.primaryKey).toMatch(/^sk_test_/)
    const { merchants } = await json('merchant list')
    expect(merchants).toContainEqual(expect.objectContaining({ wallet, name: 'Corner Café' }))
    expect((await run(args, { DATA_DIR: service.dataDir })).code).toBe(1)

    const canRead = (key: string) => {
      const { receipts } = new Sluice({ baseUrl: service.baseUrl, key })
      return receipts.list().then(Boolean, () => false)
    }
    const created = await json(`key create --merchant ${wallet} --scopes receipts:read --name=Reports`)
    expect(await canRead(created.primaryKey)).toBe(true)
    const rotated = await json(`key rotate ${created.id} primary --merchant ${wallet}`)
    await expect.poll(() => canRead(created.primaryKey)).toBe(false)
    expect([await canRead(rotated.key), await canRead(created.secondaryKey)]).toEqual([true, true])
    await json(`key revoke ${created.id} --merchant ${wallet}`)
    await expect.poll(() => canRead(rotated.key)).toBe(false)
    const { subscriptions } = await json(`key list --merchant ${wallet}`)
    expect(subscriptions).toMatchObject([
      { name: 'First', revokedAt: null },
      { name: 'Reports', scopes: ['receipts:read'], revokedAt: expect.any(Number) },
    ])
    const again = await json(`key revoke ${created.id} --merchant ${wallet}`)
    expect(again).toMatchObject({ wasRevokedBefore: true })
    const whole = await json(`audit verify --merchant ${wallet}`)
    expect(whole).toMatchObject({ ok: true, chainCount: 1, entryCount: 4, broken: [] })
    expect((await json('audit verify')).ok).toBe(true)
    const anchors = join(service.dataDir, 'anchors.log')
    const head = { merchant: wallet, sequence: 5, hash: 'k1.00' }
    await writeFile(anchors, `not json\n${JSON.stringify({ auditHeads: [head] })}\n`)
    const cut = await run(['audit', 'verify', '--anchors', anchors], { DATA_DIR: service.dataDir })
    expect([cut.code, cut.stdout]).toEqual([1, expect.stringContaining('the log contains entries up to 5')])
    expect((await cli(`key rotate not-there primary --merchant ${wallet}`)).code).toBe(1)
  })

  test('another master key than the service has is refused, before a key is encrypted with it', async () => {
    const env = { SLUICE_MASTER_KEY: 'another master key than the one of the service' }
    const { code, stderr } = await cli('key create', { env })
    expect(code).toBe(2)
    expect(stderr).toContain('not the key that this database was encrypted with')
  })
})

describe('doctor', () => {
  test('finds nothing broken in a local service, and looked at everything', async () => {
    const { code, stdout } = await cli('doctor --json')
    const { ok, findings } = JSON.parse(stdout)
    expect(findings.filter(({ result }: { result: string }) => result === 'fail')).toEqual([])
    expect([code, ok]).toEqual([0, true])
    const names = findings.map(({ name }: { name: string }) => name.replace(/ 127.*/, ''))
    const settings = ['settings', 'local.json', 'database', 'schema', 'durability', 'database clock']
    const others = ['archive', 'chain', 'contracts', 'service', 'service clock', 'key', 'split', 'webhooks']
    expect(names).toEqual(expect.arrayContaining([...settings, ...others]))
    expect((await cli('doctor')).stdout).toContain('No errors')
  })

  test('names each thing that is wrong, and what to do', async () => {
    const credulous = await startWebhookReceiver()
    const env = { CHAIN_ID: '8453', RPC_URLS: service.rpcUrl, DATABASE_URL: 'postgres://127.0.0.1:1/none' }
    const { code, stdout } = await cli(`doctor --json --webhook ${credulous.url}`, {
      env: { ...env, SLUICE_KEY: 'sk_test_wrong', SLUICE_URL: service.baseUrl },
    })
    await credulous.close()
    expect(code).toBe(1)
    const { findings } = JSON.parse(stdout) as { findings: Record<string, string>[] }
    const broken = findings.filter(({ result }) => result === 'fail')
    const chain = `chain ${new URL(service.rpcUrl).host}`
    expect(broken.map(({ name }) => name)).toEqual(['database', chain, 'key', 'endpoint'])
    expect(broken.every(({ advice }) => advice)).toBe(true)
    expect(broken[1]?.text).toBe('serves chain 31337, but CHAIN_ID is 8453')
  })

  test('says so where settings are not right, where nothing runs, and where others can read the keys', async () => {
    const wrong = await run(['doctor'], { PORT: 'eighty', RPC_URLS: 'nowhere' })
    expect(wrong.code).toBe(1)
    expect(wrong.stdout).toMatch(/fail\s+settings\s+PORT must be/)
    expect(wrong.stdout).toMatch(/fail\s+settings\s+RPC_URLS must be/)
    expect((await run(['doctor'])).stdout).toContain('npm start')
    const path = join(folder.path, 'local.json')
    await writeFile(path, JSON.stringify({ ...service, merchant: service.merchant }))
    await chmod(path, 0o644)
    const open = await run(['doctor', '--data', folder.path, '--json'])
    expect(open.stdout).toContain('chmod 600')
  })
})

test('trigger ends a card payment as it is told, and shows what is known of a failure', async () => {
  const failed = await json('trigger PORTAL_PAY_DO_NOT_HONOR --timeout 30')
  expect(failed).toMatchObject({
    status: 'failed',
    failureCode: 'PORTAL_PAY_DO_NOT_HONOR',
    providerErrorCode: 'do_not_honor',
  })
  const again = await json(`trigger paid --receipt ${failed.id} --timeout 40`)
  expect(again).toMatchObject({ id: failed.id, failureCode: null })
  const { outcomes } = await json('trigger')
  expect(outcomes.length).toBe(Object.keys(failures).length + 3)
  const wrong = await cli('trigger no-such-outcome')
  expect([wrong.code, wrong.stdout]).toEqual([2, ''])
})
