import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { beforeAll, expect, test } from 'vitest'
import { readPage } from '../../../../scripts/guide/read-blocks.ts'
import { makeSnippets } from '../../../dashboard/src/screens/developers/make-snippets.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { signedHeaders, signStandard } from '../../src/webhooks/sign.ts'
import { startWebhookProcess } from '../flows/webhooks/webhook-process.ts'
import { enqueueMessage, makeWebhookMerchant, startWebhookReceiver, until } from '../support/api/webhooks.ts'
import { makeTestDatabase } from '../support/database/test-database.ts'
import { perFile } from '../support/per-file.ts'
import { runProgram } from '../support/programs/run-program.ts'
import { runPhp, runPython } from '../support/programs/run-script.ts'
import { makeTemporaryFolder } from '../support/programs/temporary-folder.ts'

type Delivery = {
  readonly name: string
  readonly key: string
  /** The bytes of the body in base64. */
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly isGenuine: boolean
}

const body = '{"receiptId":"R-1","note":"größer €"}'
const key = 'sk_test_of_the_snippets'
const message = { id: 'id-1', brandKey: 'acme', deliveryId: 'd-1', idempotencyKey: 'receipt-status:k-1' }
const signed = (at: number, content = body) => signedHeaders({ ...message, body: content }, key, at as UnixMs)

const database = perFile(makeTestDatabase)
const receiver = perFile(startWebhookReceiver)
const sender = perFile(() => startWebhookProcess(database))
let deliveries: Delivery[]
beforeAll(async () => {
  deliveries = [await deliverForReal(), ...(await makeDeliveries())]
})

/** Delivers a real message from the outbox over HTTP. */
async function deliverForReal(): Promise<Delivery> {
  const merchant = makeWebhookMerchant()
  await enqueueMessage(database.pool, systemClock, merchant, { url: `${receiver.url}/hook` })
  sender.nudge()
  await until({ advance: async () => {} }, () => receiver.received.length === 1, 'the delivery')
  const [received] = receiver.received
  if (!received) throw new Error('nothing came')
  return {
    name: 'a delivery as it comes',
    key: merchant.apiKey,
    body: received.body.toString('base64'),
    headers: received.headers as Record<string, string>,
    isGenuine: true,
  }
}

async function makeDeliveries(): Promise<Delivery[]> {
  const now = Date.now()
  const headers = await signed(now)
  type Changes = Record<string, string | undefined>
  const one = (name: string, isGenuine: boolean, changed: Changes = {}, of = body) => {
    const all = Object.entries({ ...headers, ...changed }).filter(([, value]) => value !== undefined)
    return {
      name,
      key,
      body: Buffer.from(of).toString('base64'),
      headers: Object.fromEntries(all.map(([header, value]) => [header.toLowerCase(), value ?? ''])),
      isGenuine,
    }
  }
  const signature = headers['X-Service-Signature'] ?? ''
  const standard = headers['webhook-signature'] ?? ''
  const hex = signature.slice('sha256='.length)
  const stamp = { id: headers['webhook-id'] ?? '', timestampSeconds: Number(headers['webhook-timestamp']) }
  const ofOther = signStandard('sk_test_other', stamp, body)
  const base64 = Buffer.from(hex, 'hex').toString('base64')
  const flipped = hex.replace(/^./, (sign) => (sign === '0' ? '1' : '0'))
  return [
    one('a good one', true),
    one('a body of one byte more', false, {}, `${body} `),
    one('a body with another amount', false, {}, body.replace('R-1', 'R-2')),
    { ...one('a key of somebody else', false), key: 'sk_test_other' },
    one('no signature at all', false, { 'X-Service-Signature': undefined, 'webhook-signature': undefined }),
    one('without X-Service-Signature', false, { 'X-Service-Signature': undefined }),
    one('with an empty X-Service-Signature', false, { 'X-Service-Signature': '' }),
    one('in upper-case digits', false, { 'X-Service-Signature': `sha256=${hex.toUpperCase()}` }),
    one('with another digit', false, { 'X-Service-Signature': `sha256=${flipped}` }),
    one('without sha256=', false, { 'X-Service-Signature': hex }),
    one('with SHA256=', false, { 'X-Service-Signature': `SHA256=${hex}` }),
    one('with another method', false, { 'X-Service-Signature': `sha1=${hex}` }),
    one('cut short', false, { 'X-Service-Signature': signature.slice(0, -1) }),
    one('longer', false, { 'X-Service-Signature': `${signature}0` }),
    one('with a line end behind', false, { 'X-Service-Signature': `${signature}\n` }),
    one('with a space before', false, { 'X-Service-Signature': ` ${signature}` }),
    one('in base64', false, { 'X-Service-Signature': `sha256=${base64}` }),
    one('with letters that are no digits', false, { 'X-Service-Signature': `sha256=${'é'.repeat(64)}` }),
    one('without webhook-signature', false, { 'webhook-signature': undefined }),
    one('with a webhook-signature of another key', false, { 'webhook-signature': ofOther }),
    one('with two, one of them good', true, { 'webhook-signature': `${ofOther} ${standard}` }),
    one('with two, the other way round', true, { 'webhook-signature': `${standard} ${ofOther}` }),
    one('of another version', false, { 'webhook-signature': standard.replace('v1,', 'v1a,') }),
    one('with a webhook-signature of strange letters', false, { 'webhook-signature': 'v1,é' }),
    one('with another id', false, { 'webhook-id': 'msg_other' }),
    one('with another time', false, { 'webhook-timestamp': String(stamp.timestampSeconds - 1) }),
    one('without a time', false, { 'webhook-timestamp': undefined }),
    one('with a time that is no number', false, { 'webhook-timestamp': '1e9' }),
    one('of ten minutes ago, signed then', false, await signed(now - 600_000)),
    one('of in ten minutes', false, await signed(now + 600_000)),
    one('of a minute ago', true, await signed(now - 60_000)),
    one('of an empty body', true, await signed(now, ''), ''),
  ]
}

const { verify } = makeSnippets({ baseUrl: '', keyName: '', keyId: '', keyHint: '' })

test.each([
  ['TypeScript', 'verify.ts', verifyInNode],
  ['Python', 'verify.py', verifyInPython],
  ['PHP', 'verify.php', verifyInPhp],
] as const)("the web app's %s is the guide's, takes what we signed and refuses everything else", async (language, file, evaluate) => {
  const snippet = verify.find((each) => each.language === language)?.code ?? ''
  const guide = readPage('docs/webhooks.md')
  expect(guide.find((block) => block.marks.get('file') === file)?.text).toBe(`${snippet}\n`)
  expect(named(JSON.parse(await evaluate(snippet)))).toEqual(wanted())
})

test("the quickstart's function, as it stands, takes what we signed and refuses everything else", async () => {
  const guide = readPage('docs/quickstart.md')
  const block = guide.find(({ text }) => text.includes('cat > verify.mjs'))
  const [, snippet = ''] = /<<'END'\n(.*)END\n$/s.exec(block?.text ?? '') ?? []
  expect(named(JSON.parse(await verifyInNode(snippet, 'verify.mjs')))).toEqual(wanted())
})

const named = (evaluated: readonly boolean[]) => deliveries.map(({ name }, i) => `${name}: ${evaluated[i]}`)
const wanted = () => named(deliveries.map(({ isGenuine }) => isGenuine))

async function verifyInNode(snippet: string, name = 'verify.ts'): Promise<string> {
  const folder = await makeTemporaryFolder('snippet')
  try {
    const file = join(folder.path, name)
    await writeFile(file, snippet)
    const program = `import { isGenuine } from '${pathToFileURL(file)}'
      const deliveries = ${JSON.stringify(deliveries)}
      const judge = (it) => isGenuine(it.key, Buffer.from(it.body, 'base64'), it.headers)
      console.log(JSON.stringify(deliveries.map(judge)))`
    return await runProgram(process.execPath, ['--input-type=module', '-'], { input: program })
  } finally {
    await folder.remove()
  }
}

function verifyInPython(snippet: string): Promise<string> {
  const program = [
    'import base64, json',
    'from verify import is_genuine',
    'deliveries = json.load(open("deliveries.json"))',
    'print(json.dumps([is_genuine(it["key"], base64.b64decode(it["body"]), it["headers"]) for it in deliveries]))',
  ]
  const files = { 'verify.py': snippet, 'deliveries.json': JSON.stringify(deliveries) }
  return runPython(program.join('\n'), files)
}

function verifyInPhp(snippet: string): Promise<string> {
  const program = `require '/program/verify.php';
    $deliveries = json_decode(file_get_contents('/program/deliveries.json'), true);
    echo json_encode(array_map(
      fn ($it) => is_genuine($it['key'], base64_decode($it['body']), $it['headers']), $deliveries));`
  return runPhp(program, { 'verify.php': snippet, 'deliveries.json': JSON.stringify(deliveries) })
}
